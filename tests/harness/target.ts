/** Which programs the tests start: the bridge under test, and the fake upstream. */
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

const SOURCE_PERMISSIONS = ["run", "net", "read", "write", "env", "sys"].map((name) => `--allow-${name}`);

/**
 * Command line of the bridge: the binary that `CLOAKBROWSER_MCP_TEST_BINARY` names, else the one of
 * `deno task build`. With `CLOAKBROWSER_MCP_TEST_BINARY=source` the program runs from source.
 *
 * @throws Error when there is no binary
 */
export function bridgeCommand(): { command: string; args: string[] } {
  const named = Deno.env.get("CLOAKBROWSER_MCP_TEST_BINARY");
  if (named === "source") return sourceCommand();
  const path = named ?? `${REPOSITORY}dist/cloakbrowser-mcp`;
  try {
    if (Deno.statSync(path).isFile) return { command: path, args: [] };
  } catch {
    // told below
  }
  throw new Error(
    `Cannot test "${path}": there is no such file. Run \`deno task build\`, or name a binary in ` +
      "CLOAKBROWSER_MCP_TEST_BINARY",
  );
}

/** Command line of the program from source. */
export function sourceCommand(): { command: string; args: string[] } {
  const args = ["run", "--no-prompt", ...SOURCE_PERMISSIONS, `${REPOSITORY}main.ts`];
  return { command: Deno.execPath(), args };
}

/** Command line of the fake upstream, program first. */
export function fakeCommand(switches: readonly string[] = []): string[] {
  const permissions = ["--allow-read", "--allow-write", "--allow-env", "--allow-run"];
  const script = `${REPOSITORY}tests/fixtures/fake_upstream.ts`;
  return [
    Deno.execPath(),
    "run",
    "--no-config",
    "--no-lock",
    "--no-prompt",
    ...permissions,
    script,
    ...switches,
  ];
}
