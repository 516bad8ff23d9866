import assert from "node:assert/strict";

const SRC = new URL("../../src/", import.meta.url).href;

const PROGRAM = `
import { sendConsoleToLog } from ${JSON.stringify(SRC + "telemetry/console_capture.ts")};
import { createLogger } from ${JSON.stringify(SRC + "telemetry/log.ts")};
sendConsoleToLog(createLogger({ level: "debug", format: "json", write: (line) => {
  Deno.stderr.writeSync(new TextEncoder().encode(line + "\\n"));
} }));
console.log("to", { nobody: 1 });
console.error("loud");
`;

Deno.test("sendConsoleToLog() leaves standard output to the protocol", async () => {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args: ["eval", "--no-lock", PROGRAM] })
    .output();
  assert.equal(new TextDecoder().decode(stdout), "");
  const lines = new TextDecoder().decode(stderr).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ level, method, text }) => [level, method, text]), [
    ["debug", "log", "to { nobody: 1 }"],
    ["debug", "error", "loud"],
  ]);
});
