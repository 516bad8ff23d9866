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

/** The lines of a child so far, and a way to wait for more. */
class Output {
  readonly lines: string[] = [];
  readonly ended: Promise<void>;
  #more = Promise.withResolvers<void>();

  constructor(child: UpstreamProcess) {
    this.ended = child.readOutput((line) => {
      this.lines.push(line.kind === "line" ? new TextDecoder().decode(line.bytes) : line.kind);
      this.#more.resolve();
      this.#more = Promise.withResolvers();
      return Promise.resolve();
    });
  }

  async reach(count: number): Promise<readonly string[]> {
    while (this.lines.length < count) await this.#more.promise;
    return this.lines;
  }

  async all(): Promise<readonly string[]> {
    await this.ended;
    return this.lines;
  }
}

Deno.test("UpstreamProcess passes frames both ways", async () => {
  await using child = start("cat");
  await child.send(new TextEncoder().encode('{"n":1}'));
  await child.send(new TextEncoder().encode("é"));
  const output = new Output(child);
  assert.deepEqual(await output.reach(2), ['{"n":1}', "é"]);
  await child.stop(1000);
  assert.equal((await output.all()).length, 2);
});

Deno.test("UpstreamProcess keeps the last stderr lines, without secrets", async () => {
  await using child = start("for i in $(seq 1 30); do echo line $i secret-value >&2; done; exit 3");
  assert.deepEqual(await child.exited, { code: 3, signal: null });
  const words = child.lastWords().split("\n");
  assert.equal(words.length, 20);
  assert.deepEqual([words.at(0), words.at(-1)], ["line 11 <hidden>", "line 30 <hidden>"]);
  assert.deepEqual(await new Output(child).all(), []);
});

Deno.test("UpstreamProcess gives its child nothing of the environment but what it is told to", async () => {
  await using child = start("env | grep -c -v -e ^PATH= -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=");
  assert.deepEqual(await new Output(child).all(), ["1"]);
});

Deno.test("UpstreamProcess.stop() is an end of input first", async () => {
  const child = start("echo ready; cat >/dev/null; echo orderly; exit 0");
  const output = new Output(child);
  await output.reach(1);
  const stopped = child.stop(60_000);
  assert.deepEqual(await output.all(), ["ready", "orderly"]);
  await stopped;
  assert.deepEqual(await child.exited, { code: 0, signal: null });
});

Deno.test("UpstreamProcess.stop() sends SIGTERM to a child that does not care about its input", async () => {
  const child = start("trap 'echo terminated; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
  const output = new Output(child);
  await output.reach(1);
  const stopped = child.stop(1000);
  assert.deepEqual(await output.all(), ["ready", "terminated"]);
  await stopped;
});

Deno.test("UpstreamProcess.stop() kills what ignores everything, with all it started", async () => {
  const child = start("trap '' TERM; sleep 60 & setsid sleep 61 & echo ready; while :; do sleep 0.05; done");
  const output = new Output(child);
  await output.reach(1);
  const family = await descendantsOf(child.pid);
  assert.ok(family.length >= 2);
  await child.stop(100);
  assert.equal((await child.exited).signal, "SIGKILL");
  assert.deepEqual(await stillAlive(family), []);
  await output.ended;
});

Deno.test("UpstreamProcess.stop() finds and ends what a dead child left behind", async () => {
  const child = start("setsid sleep 62 >/dev/null 2>&1 & echo ready; wait");
  const output = new Output(child);
  await output.reach(1);
  const family = await descendantsOf(child.pid);
  child.kill();
  await child.exited;
  assert.equal((await stillAlive(family)).length, 1);
  await child.stop(1000);
  assert.deepEqual(await stillAlive(family), []);
  await output.ended;
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
