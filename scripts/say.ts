/** Prints a line for the person at the terminal. */
export function say(line = ""): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
