/** A server on a unix socket: a whole session, who may open it, and what is in its place before and after. */
import assert from "node:assert/strict";
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { HttpRun } from "../harness/http_run.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { bridgeCommand } from "../harness/target.ts";

const AT_ONCE_MS = 5_000;

async function withFolder(run: (folder: RunFolder, socket: string) => Promise<void>): Promise<void> {
  const folder = new RunFolder();
  try {
    await run(folder, `${folder.path}/mcp.sock`);
  } finally {
    folder.remove();
  }
}

/** A start that is expected to fail. */
async function startFails(
  folder: RunFolder,
  args: readonly string[],
): Promise<{ code: number; stderr: string }> {
  const { command, args: program } = bridgeCommand();
  const output = await new Deno.Command(command, {
    args: [...program, "--transport", "streamable-http", "--http-warm-spares", "0", ...args],
    env: { ...inheritedEnvironment(), TMPDIR: folder.temporary },
    clearEnv: true,
    cwd: folder.work,
    stdin: "null",
    signal: AbortSignal.timeout(AT_ONCE_MS),
  }).output();
  return { code: output.code, stderr: new TextDecoder().decode(output.stderr) };
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path).isSocket === true;
  } catch {
    return false;
  }
}

Deno.test("a unix socket carries a whole session, and goes with the server", () =>
  withFolder(async (_, socket) => {
    {
      await using run = await HttpRun.start({ socket });
      const { mode } = await Deno.lstat(socket);
      assert.equal((mode ?? 0) & 0o777, 0o600);
      const client = await run.open();
      const listener = await client.listen();
      assert.equal((await client.callTool("slow", { ms: 300 })).result.content[0].text, "slept 300 ms");
      assert.equal((await run.get("/readyz")).status, 200);
      await listener.cancel();
      assert.equal(await client.end(), 200);
    }
    assert.equal(exists(socket), false);
  }));

Deno.test("a unix socket goes also where a client keeps its stream open", () =>
  withFolder(async (_, socket) => {
    await using run = await HttpRun.start({ socket });
    const listener = await (await run.open()).listen();
    run.signal("SIGTERM");
    assert.deepEqual(await listener.rest(), []);
    assert.equal((await run.exit(AT_ONCE_MS)).code, 0);
    assert.equal(exists(socket), false);
  }));

Deno.test("the socket of a server that was killed is replaced, that of a living one is not", () =>
  withFolder(async (folder, socket) => {
    {
      await using killed = await HttpRun.start({ socket });
      killed.leavesTemporaryFiles = true;
      killed.tree.record();
      killed.signal("SIGKILL");
      await killed.exit(AT_ONCE_MS);
    }
    assert.ok(exists(socket), "nobody could remove it");
    await using run = await HttpRun.start({ socket });
    const { code, stderr } = await startFails(folder, ["--http-socket", socket]);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /Cannot listen on ".*mcp\.sock": a server listens there\. Stop that server/);
    assert.equal((await run.get("/healthz")).status, 200, "the living one goes on");
  }));

Deno.test("a file in the place of a unix socket stays", () =>
  withFolder(async (folder, socket) => {
    await Deno.writeTextFile(socket, "precious");
    const { code, stderr } = await startFails(folder, ["--http-socket", socket]);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /Cannot listen on ".*mcp\.sock" as a socket: another kind of file is there/);
    assert.equal(await Deno.readTextFile(socket), "precious");
  }));

Deno.test("TLS on a unix socket is a usage error", () =>
  withFolder(async (folder, socket) => {
    const { code, stderr } = await startFails(folder, ["--http-socket", socket, "--http-protocol", "https"]);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /--http-socket together with --http-protocol: a unix socket has neither address nor TLS/,
    );
  }));
