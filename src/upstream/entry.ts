/**
 * The hidden `upstream` command: what the `cli.js` of `@playwright/mcp` does, inside our own executable. The
 * package does not export that file, but `playwright-core` exports the two bundles that it uses.
 */

import process from "node:process";
import { createMemoryTrim } from "../platform/memory_trim.ts";
import { UPSTREAM_VERSION } from "../version.ts";
import { loadBundles, useCodeCache, writeCodeCache } from "./bundles.ts";
import { applyCompat } from "./compat/apply.ts";
import { endAfterInput } from "./end_of_input.ts";
import { loadOwnInitPage } from "./own_init_page.ts";
import { endWithParent } from "./parent_watch.ts";
import { usePrivateTemp } from "./private_temp.ts";
import { loadUserModules } from "./user_modules.ts";

/** First argument that runs one of upstream's own helper scripts, see `compat/package_scripts.ts`. */
const RUN_SCRIPT = "run-script";

/** First argument with which the build calls a program that it has compiled, see `bundles.ts`. */
const WRITE_CODE_CACHE = "write-code-cache";

/**
 * Serves `@playwright/mcp` on standard input and output, or does `install-browser` when the arguments name
 * it. Returns as soon as the server listens; the process ends when upstream ends it.
 *
 * The order matters: upstream's bundles take hold of `node:os`, `node:fs` and the like when they are first
 * evaluated, so whatever is to be changed for them is changed before.
 *
 * @param args What the user would give to `npx @playwright/mcp`.
 * @throws What upstream throws on a wrong argument or configuration.
 */
export async function runUpstream(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === WRITE_CODE_CACHE && rest[0] !== undefined) {
    writeCodeCache(rest[0]);
    return;
  }
  const environment = usePrivateTemp();
  await applyCompat({ version: Deno.version.deno, standalone: Deno.build.standalone }, environment);
  loadUserModules();
  loadOwnInitPage();
  if (Deno.build.standalone) useCodeCache();
  if (first === RUN_SCRIPT) {
    const { runPackageScript } = await import("./compat/package_scripts.ts");
    runPackageScript(rest);
    return;
  }
  const { program, tools, libCli } = await loadBundles();
  if (args.includes("install-browser")) {
    libCli.decorateProgram(program);
    await program.parseAsync(asArgv(args.map((arg) => (arg === "install-browser" ? "install" : arg))));
    return;
  }
  endWithParent();
  endAfterInput();
  tools.decorateMCPCommand(
    program.version(`Version ${UPSTREAM_VERSION}`).name("Playwright MCP"),
    UPSTREAM_VERSION,
  );
  await program.parseAsync(asArgv(args));
  createMemoryTrim().soon();
}

/** Arguments as Node's `process.argv` has them, with program and script first. */
function asArgv(args: readonly string[]): string[] {
  return [process.execPath, "playwright-mcp", ...args];
}
