import assert from "node:assert/strict";
import { run, type ServeContext, type World } from "../../src/cli/run.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { AppError } from "../../src/errors.ts";

interface Outcome {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly served: { readonly settings: Settings; readonly context: ServeContext } | undefined;
}

async function runIn(
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
  serve: () => Promise<number> = () => Promise.resolve(0),
  firstCommandLine = "",
): Promise<Outcome> {
  let stdout = "";
  let stderr = "";
  let served: Outcome["served"];
  const world: World = {
    env,
    cwd: "/",
    stdout: (text) => stdout += text,
    stderr: (text) => stderr += text,
    readTextFile: (path) => {
      throw new Deno.errors.NotFound(path);
    },
    firstCommandLine: () => Promise.resolve(firstCommandLine),
    serve: (settings, context) => {
      served = { settings, context };
      return serve();
    },
  };
  const status = await run(argv, world);
  return { status, stdout, stderr, served };
}

Deno.test("run() serves with the settings, their origins, notices and the environment", async () => {
  const env = { CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL: "info" };
  const { status, stdout, stderr, served } = await runIn(["--browser", "chrome", "--caps=pdf"], env);
  assert.deepEqual([status, stdout, stderr], [0, "", ""]);
  assert.equal(served?.settings.logLevel, "info");
  assert.deepEqual(served?.settings.upstreamArgs.map(({ flag }) => flag), ["--browser", "--caps"]);
  assert.equal(served?.context.origins.logLevel.kind, "env");
  assert.equal(served?.context.notices.length, 1);
  assert.equal(served?.context.env, env);
});

Deno.test("run() serves without any argument", async () => {
  const { status, served } = await runIn([]);
  assert.equal(status, 0);
  assert.equal(served?.settings.browserEngine, "cloak");
});

Deno.test("run() returns the status of serving", async () => {
  assert.equal((await runIn([], {}, () => Promise.resolve(4))).status, 4);
});

Deno.test("run() turns faults into one message and the exit status of their kind", async () => {
  const cases: [error: unknown, status: number][] = [
    [new AppError("browser_unavailable", "Cannot x", { remedy: "Do y" }), 3],
    [new AppError("upstream_failed", "Cannot x", { remedy: "Do y" }), 4],
    [new AppError("locked", "Cannot x", { remedy: "Do y" }), 5],
  ];
  for (const [error, expected] of cases) {
    const { status, stdout, stderr } = await runIn([], {}, () => Promise.reject(error));
    assert.deepEqual([status, stdout, stderr], [expected, "", "cloakbrowser-mcp: Cannot x. Do y\n"]);
  }
  const unexpected = await runIn([], {}, () => Promise.reject(new Error("boom")));
  assert.deepEqual([unexpected.status, unexpected.stderr], [1, "cloakbrowser-mcp: Unexpected fault: boom\n"]);
});

Deno.test("run() refuses an unknown flag with status 2 and one line, and does not serve", async () => {
  const { status, stdout, stderr, served } = await runIn(["--headles"]);
  assert.deepEqual([status, stdout, served], [2, "", undefined]);
  assert.match(stderr, /^cloakbrowser-mcp: Unknown option "--headles" .*--headless.*--help"\n$/);
});

Deno.test("run() refuses wrong settings and paths with status 2", async () => {
  const settings = await runIn(["--log-level", "loud"], { PLAYWRIGHT_MCP_HEADLESS: "1" });
  assert.deepEqual([settings.status, settings.served], [2, undefined]);
  assert.equal(settings.stderr.trimEnd().split("\n").length, 2);
  const path = await runIn(["--binary-path", "/no/such/browser"]);
  assert.deepEqual([path.status, path.served], [2, undefined]);
  assert.match(path.stderr, /"\/no\/such\/browser" for --binary-path/);
});

Deno.test("run() prints help and version on standard output whatever the environment holds", async () => {
  const env = { PLAYWRIGHT_MCP_HEADLESS: "nonsense" };
  for (const argv of [["--help"], ["help"], ["--version"], ["version"], ["completions", "zsh"]]) {
    const { status, stdout, stderr, served } = await runIn(argv, env);
    assert.deepEqual([status, stderr, served], [0, "", undefined]);
    assert.ok(stdout.length > 10 && stdout.endsWith("\n"));
  }
});

Deno.test("run() prints the version as a name and a number", async () => {
  const { stdout } = await runIn(["--version"]);
  assert.match(stdout, /^cloakbrowser-mcp \d+\.\d+\.\d+\n$/);
});

Deno.test("run() prints the settings in effect", async () => {
  const { status, stdout, served } = await runIn(["config", "--no-headless"]);
  assert.deepEqual([status, served], [0, undefined]);
  assert.match(stdout, /^headless = false +\(flag --no-headless\)$/m);
});

Deno.test("run() checks the server that process 1 runs, with the flags of the check on top", async () => {
  const server = "/sbin/init\0--\0/usr/bin/cloakbrowser-mcp\0--transport\0streamable-http\0--http-port\0";
  // Nothing listens on port 1.
  const check = (argv: string[], commandLine: string): Promise<Outcome> =>
    runIn(["healthcheck", ...argv], {}, undefined, commandLine);
  const refused = await check([], `${server}1\0`);
  assert.deepEqual([refused.status, refused.stderr, refused.served], [1, "", undefined]);
  assert.match(refused.stdout, /^unhealthy: .*refused.*\n$/i);
  const stdio = await check(["--transport", "stdio"], `${server}1\0`);
  assert.deepEqual([stdio.status, stdio.stdout], [0, "healthy: stdio, nothing to ask\n"]);
  const other = await check([], "/sbin/init\0");
  assert.equal(other.status, 0);
});

Deno.test("run() says in one line that a server with wrong settings is not healthy", async () => {
  const { status, stdout, stderr } = await runIn(["healthcheck"], { PLAYWRIGHT_MCP_PORT: "many" });
  assert.deepEqual([status, stderr], [1, ""]);
  assert.match(stdout, /^unhealthy: .*many.*\n$/);
});
