/**
 * Entry point: the exit status is what the command line makes of it. The hidden first argument `upstream` turns
 * the same program into the child process that serves `@playwright/mcp`.
 */
const [first, ...rest] = Deno.args;
if (first === "upstream") {
  const { runUpstream } = await import("./src/upstream/entry.ts");
  await runUpstream(rest);
} else {
  const { main } = await import("./src/cli/main.ts");
  Deno.exit(await main(Deno.args));
}
