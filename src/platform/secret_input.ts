/**
 * Reads one secret from standard input: a line of a pipe or file, or of a terminal, without showing it.
 */

const ENTER = /[\r\n]/;
const CONTROL_C = "\x03";
const CONTROL_D = "\x04";
const ERASE: readonly string[] = ["\x7f", "\b"];

/** No secret is as long; more than that is not one. */
const LONGEST = 4096;

/** @param ask called where somebody sits at a terminal */
export async function readSecret(ask: () => void): Promise<string> {
  const isTerminal = Deno.stdin.isTerminal();
  if (isTerminal) {
    ask();
    // Ctrl-C comes as a letter, so the terminal is never left in this mode.
    Deno.stdin.setRaw(true);
  }
  let line: string | undefined;
  try {
    line = await readLine();
  } finally {
    if (isTerminal) Deno.stdin.setRaw(false);
  }
  if (line === undefined) {
    // What the terminal would have done, had it not been told to pass every letter.
    Deno.kill(Deno.pid, "SIGINT");
    await new Promise<never>(() => {});
  }
  return (line ?? "").trim();
}

/** @returns undefined for Ctrl-C */
async function readLine(): Promise<string | undefined> {
  const buffer = new Uint8Array(256);
  let text = "";
  for (;;) {
    const length = await Deno.stdin.read(buffer);
    if (length === null) return text;
    for (const letter of new TextDecoder().decode(buffer.subarray(0, length))) {
      if (ENTER.test(letter) || letter === CONTROL_D) return text;
      if (letter === CONTROL_C) return undefined;
      text = ERASE.includes(letter) ? text.slice(0, -1) : text + letter;
    }
    if (text.length > LONGEST) return "";
  }
}
