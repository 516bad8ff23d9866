/** Case stdio-5: when upstream is lost nothing hangs, and nothing of it is left. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { fakeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";

const AT_ONCE = { withinMs: 2_000 };

Deno.test("stdio-5a every pending request is answered when upstream dies", async (t) => {
  for (
    const [title, death, pattern] of [
      ["exit code", { code: 42, stderr: "last words" }, /42[\s\S]*last words/],
      ["signal", { signal: "SIGKILL", stderr: "last words" }, /SIGKILL[\s\S]*last words/],
    ] as const
  ) {
    await t.step(title, async () => {
      await using run = await BridgeRun.initialized();
      const { client, log } = run;
      const pending = [
        client.callTool("slow", { ms: 60_000 }),
        client.callTool("never"),
        client.request("resources/read", { uri: "fake://text" }),
      ];
      await pending[2];
      const question = client.callTool("ask", { method: "q/open" });
      await client.incoming("q/open");
      const [slow, never, asked, died] = await Promise.all([
        pending[0],
        pending[1],
        question,
        client.callTool("die", death, AT_ONCE),
      ]);
      for (const answer of [slow, never, asked, died]) {
        assert.equal(answer.result.isError, true);
        assert.match(answer.result.content[0].text, pattern);
      }
      assert.ok((await client.callTool("browser_navigate")).result.structuredContent, "the next call works");
      assert.equal(log.pids().length, 2);
      assert.equal(log.calls("slow").length + log.calls("never").length + log.calls("die").length, 3);
    });
  }
});

Deno.test("stdio-5a a request that is no tool call gets a JSON-RPC error", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log } = run;
  const pending = [1, 2, 3].map((n) => client.request("fake/unanswered", { n }, AT_ONCE));
  await until("requests at the fake", () => log.frames("fake/unanswered").length === 3, 5_000);
  Deno.kill(log.pids()[0] ?? 0, "SIGKILL");
  for (const answer of await Promise.all(pending)) {
    assert.equal(typeof answer.error?.code, "number");
    assert.match(answer.error.message, /SIGKILL/);
  }
});

Deno.test("stdio-5b an upstream that exits at start gives its last words and the next call tries again", async () => {
  await using run = new BridgeRun({
    fake: ["--fail", "boom: no licence", "--fail-starts", "1,2"],
    env: { CLOAKBROWSER_LICENSE_KEY: "very-secret-key" },
  });
  const { client, log } = run;
  const first = await client.initialize();
  assert.match(first.error.message, /exit code 1[\s\S]*boom: no licence/);
  assert.ok(!JSON.stringify(client.inbox.lines).includes("very-secret-key"));

  await until("an initialize that works", async () => (await client.initialize()).result, 5_000);
  assert.ok(log.pids().length >= 3);
  assert.equal((await client.callTool("browser_navigate")).result.structuredContent.calls, 1);
});

Deno.test("stdio-5b the last words do not give a secret away", async () => {
  await using run = new BridgeRun({
    fake: ["--fail", "refused key very-secret-key"],
    env: { CLOAKBROWSER_LICENSE_KEY: "very-secret-key" },
  });
  const answer = await run.client.initialize();
  assert.match(answer.error.message, /refused key/);
  assert.ok(!JSON.stringify(run.client.inbox.lines).includes("very-secret-key"));
});

Deno.test("stdio-5c an upstream that never answers initialize is given up at the start-up bound", async () => {
  await using run = new BridgeRun({
    fake: ["--mute"],
    env: { CLOAK_PLAYWRIGHT_MCP_UPSTREAM_START_TIMEOUT_MS: "1000" },
  });
  const started = performance.now();
  const answer = await run.client.initialize();
  const took = performance.now() - started;
  assert.match(answer.error.message, /initialize/);
  assert.ok(took > 900 && took < 3_000, `took ${took} ms`);
});

Deno.test("stdio-5d a command that does not exist is told by name", async () => {
  await using run = new BridgeRun({ upstream: ["/nonexistent/upstream-command", "--flag"] });
  const answer = await run.client.initialize();
  assert.match(answer.error.message, /\/nonexistent\/upstream-command/);
  assert.equal(run.client.status, undefined, "the bridge goes on");
});

/** A shell that answers `initialize` and closes its stdout at the first tool call. A Deno program cannot do that. */
const CLOSES_STDOUT = `while read -r line; do
  id=$(printf '%s' "$line" | sed -n 's/.*"id":\\("[^"]*"\\|[0-9]*\\).*/\\1/p')
  case "$line" in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/call"'*) exec >&- ;;
  esac
done`;

Deno.test("an upstream that closes its stdout is lost, though it lives", async () => {
  await using run = new BridgeRun({ upstream: ["/bin/sh", "-c", CLOSES_STDOUT] });
  const { client } = run;
  assert.ok((await client.initialize()).result);
  assert.equal((await client.callTool("browser_navigate", {}, AT_ONCE)).result.isError, true);
  const { upstream } = (await client.callTool("cloakbrowser_bridge_info")).result.structuredContent;
  assert.equal(upstream.state, "lost");
  run.tree.record();
  await until("the shell gone", () => run.tree.running().every((stat) => stat.pid === client.pid), 5_000);
});

Deno.test("a tool list that nobody has seen yet is worth a new child", async () => {
  await using run = new BridgeRun();
  const { client, log } = run;
  assert.ok((await client.initialize()).result);
  const [pid = 0] = log.pids();
  Deno.kill(pid, "SIGKILL");
  await until("its loss noticed", () => client.stderrText.includes("upstream lost"), 5_000);
  assert.ok((await client.request("tools/list")).result.tools.length > 2);
  assert.equal(log.pids().length, 2);
});

Deno.test("kill -9 of the child in the middle of a call", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log, tree } = run;
  const call = client.callTool("never");
  await log.called("never");
  const [pid = 0] = log.pids();
  Deno.kill(pid, "SIGKILL");
  assert.equal((await call).result.isError, true);
  const { structuredContent } = (await client.callTool("browser_navigate")).result;
  assert.notEqual(structuredContent.pid, pid);
  assert.equal(log.calls("never").length, 1, "not forwarded a second time");
  tree.record();
});

Deno.test("kill -9 of the child leaves nothing of what it started", async () => {
  await using run = await BridgeRun.initialized();
  const { client, log, tree } = run;
  const { pid: grandchild } = (await client.callTool("spawn")).result.structuredContent;
  assert.ok(tree.record().some((stat) => stat.pid === grandchild), "the grandchild is recorded");
  await killedIsAnsweredAtOnce(run, log.pids()[0] ?? 0);
  await until(
    "child and grandchild gone",
    () => tree.running().every((stat) => stat.pid === client.pid),
    5_000,
  );
  assert.ok((await client.callTool("browser_navigate")).result.structuredContent, "and the bridge goes on");
});

Deno.test("kill -9 of a wrapper whose server lives on and holds the pipes open", async () => {
  const folder = new RunFolder();
  try {
    const server = fakeCommand(["--log", folder.journal, "--ignore-eof"]);
    const upstream = ["/bin/sh", "-c", '"$@"; exit $?', "wrapper", ...server];
    await using run = await BridgeRun.initialized({ folder, upstream });
    const { client, log, tree } = run;
    const info = (await client.callTool("cloakbrowser_bridge_info")).result.structuredContent;
    assert.notEqual(info.upstream.pid, log.pids()[0], "the child is the wrapper");
    await killedIsAnsweredAtOnce(run, info.upstream.pid);
    await until(
      "wrapper and server gone",
      () => tree.running().every((stat) => stat.pid === client.pid),
      5_000,
    );
    assert.ok((await client.callTool("browser_navigate")).result.structuredContent, "and the bridge goes on");
  } finally {
    folder.remove();
  }
});

/** Kills `pid` while a call runs, and expects the call's answer within the bound of stdio-5. */
async function killedIsAnsweredAtOnce({ client, log, tree }: BridgeRun, pid: number): Promise<void> {
  const call = client.callTool("never");
  await log.called("never");
  tree.record();
  const killedAt = performance.now();
  Deno.kill(pid, "SIGKILL");
  assert.equal((await call).result.isError, true);
  const took = performance.now() - killedAt;
  assert.ok(took < AT_ONCE.withinMs, `answered after ${took} ms`);
}
