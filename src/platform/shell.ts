/**
 * Reads what only another program may: Deno opens `/proc` and `/sys` to programs with all permissions, and this one
 * lists its permissions.
 */

/** What a shell script of ours prints; a machine without a shell prints nothing. */
export async function shellOutput(script: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("sh", {
      args: ["-c", script, "sh", ...args],
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
