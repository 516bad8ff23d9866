import assert from "node:assert/strict";
import { createLogger } from "../../src/telemetry/log.ts";
import { descendantsOf, stillAlive } from "../../src/platform/process_tree.ts";
import { GENERATION_MARKER, UpstreamProcess } from "../../src/upstream/process.ts";

const LOG = createLogger({ level: "silent", format: "text", write: () => {} });

function start(script: string, options: { maxMessageBytes?: number } = {}): UpstreamProcess {
  const marker = crypto.randomUUID();
  return new UpstreamProcess({
    command: {
      command: "sh",
      args: ["-c", script],
      env: { PATH: Deno.env.get("PATH") ?? "", [GENERATION_MARKER]: marker },
    },
    marker,
    maxMessageBytes: options.maxMessageBytes ?? 1000,
    log: LOG,
    redact: (text) => text.replaceAll("secret-value", "<hidden>"),
  });
}

async function readAll(child: UpstreamProcess): Promise<string[]> {
  const out: string[] = [];
  for await (const line of child.lines) {
    out.push(line.kind === "line" ? new TextDecoder().decode(line.bytes) : line.kind);
  }
  return out;
}

/** Reads until the child has said that it is ready, which it does with its first line. */
async function firstLine(child: UpstreamProcess): Promise<void> {
  await child.lines.next();
}

Deno.test("UpstreamProcess passes frames both ways", async () => {
  await using child = start("cat");
  await child.send(new TextEncoder().encode('{"n":1}'));
  await child.send(new TextEncoder().encode("é"));
  const first = await child.lines.next();
  const second = await child.lines.next();
  const texts = [first, second].map(({ value }) =>
    new TextDecoder().decode(value?.kind === "line" && value.bytes)
  );
  assert.deepEqual(texts, ['{"n":1}', "é"]);
});

Deno.test("UpstreamProcess keeps the last stderr lines, without secrets", async () => {
  await using child = start("for i in $(seq 1 30); do echo line $i secret-value >&2; done; exit 3");
  assert.deepEqual(await child.exited, { code: 3, signal: null });
  const words = child.lastWords().split("\n");
  assert.equal(words.length, 20);
  assert.deepEqual([words.at(0), words.at(-1)], ["line 11 <hidden>", "line 30 <hidden>"]);
  assert.deepEqual(await readAll(child), []);
});

Deno.test("UpstreamProcess gives its child nothing of the environment but what it is told to", async () => {
  await using child = start("env | grep -c -v -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=");
  assert.deepEqual(await readAll(child), ["1"]);
});

Deno.test("UpstreamProcess.stop() is an end of input first", async () => {
  const child = start("echo ready; cat >/dev/null; echo orderly; exit 0");
  await firstLine(child);
  const stopped = child.stop(60_000);
  assert.deepEqual(await readAll(child), ["orderly"]);
  await stopped;
  assert.deepEqual(await child.exited, { code: 0, signal: null });
});

Deno.test("UpstreamProcess.stop() sends SIGTERM to a child that does not care about its input", async () => {
  const child = start("trap 'echo terminated; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
  await firstLine(child);
  const stopped = child.stop(1000);
  assert.deepEqual(await readAll(child), ["terminated"]);
  await stopped;
});

Deno.test("UpstreamProcess.stop() kills what ignores everything, with all it started", async () => {
  const child = start("trap '' TERM; sleep 60 & setsid sleep 61 & echo ready; while :; do sleep 0.05; done");
  await firstLine(child);
  const family = await descendantsOf(child.pid);
  assert.ok(family.length >= 2);
  await child.stop(100);
  assert.equal((await child.exited).signal, "SIGKILL");
  assert.deepEqual(await stillAlive(family), []);
  await readAll(child);
});

Deno.test("UpstreamProcess.stop() finds and ends what a dead child left behind", async () => {
  const child = start("setsid sleep 62 >/dev/null 2>&1 & echo ready; wait");
  await firstLine(child);
  const family = await descendantsOf(child.pid);
  child.kill();
  await child.exited;
  assert.equal((await stillAlive(family)).length, 1);
  await child.stop(1000);
  assert.deepEqual(await stillAlive(family), []);
  await readAll(child);
});

Deno.test("UpstreamProcess reports a command that cannot be started", () => {
  assert.throws(
    () =>
      new UpstreamProcess({
        command: { command: "/nonexistent/upstream", args: [], env: {} },
        marker: "m",
        maxMessageBytes: 10,
        log: LOG,
        redact: String,
      }),
    Deno.errors.NotFound,
  );
});
