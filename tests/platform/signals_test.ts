import assert from "node:assert/strict";

const MODULE = new URL("../../src/platform/signals.ts", import.meta.url).href;

/** A program that prints the first signal and leaves at the second with the status it is given. */
const PROGRAM = `
import { listenForEnd } from ${JSON.stringify(MODULE)};
const signals = listenForEnd((status) => Deno.exit(status));
console.log("ready");
console.log(await signals.first);
await new Promise((resolve) => setTimeout(resolve, 60_000));
`;

for (const [signal, status] of [["SIGTERM", 143], ["SIGINT", 130], ["SIGHUP", 129]] as const) {
  Deno.test(`listenForEnd() hears ${signal}, and tells the exit status of a second one`, async () => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-lock", PROGRAM],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await lines.read()).value, "ready\n");
    child.kill(signal);
    assert.equal((await lines.read()).value, `${signal}\n`);
    child.kill(signal);
    assert.equal((await child.status).code, status);
    await lines.cancel();
  });
}
