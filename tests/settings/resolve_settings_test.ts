import assert from "node:assert/strict";
import { judgeSettings } from "../../src/settings/resolve_settings.ts";
import { AppError } from "../../src/errors.ts";
import { CWD, inFile, refusals, settle } from "./settle.ts";

Deno.test("resolveSettings() has defaults for everything", async () => {
  const { settings, origins, notices } = await settle({});
  assert.equal(settings.transport, "stdio");
  assert.equal(settings.browserEngine, "cloak");
  assert.equal(settings.headless, true);
  assert.equal(settings.stealthArgs, true);
  assert.equal(settings.autoUpdate, false);
  assert.equal(settings.releaseChannel, "stable");
  assert.equal(settings.binaryPath, undefined);
  assert.deepEqual(settings.extraArgs, []);
  assert.deepEqual(settings.initPages, []);
  assert.deepEqual(settings.upstreamArgs, []);
  assert.equal(settings.upstreamStartTimeoutMs, 30_000);
  assert.equal(settings.drainTimeoutMs, 3_000);
  assert.equal(settings.shutdownGraceMs, 4_000);
  assert.equal(settings.maxMessageBytes, 268_435_456);
  assert.equal(settings.logLevel, "warn");
  assert.equal(settings.logFormat, "text");
  assert.deepEqual(new Set(Object.values(origins).map(({ kind }) => kind)), new Set(["default"]));
  assert.deepEqual(notices, []);
});

Deno.test("resolveSettings() freezes the settings and what is in them", async () => {
  const { settings } = await settle({
    flags: [{ flag: "--extra-args", value: "--a" }, { flag: "--caps", value: "pdf" }],
  });
  assert.ok(Object.isFrozen(settings));
  assert.ok(Object.isFrozen(settings.extraArgs));
  assert.ok(Object.isFrozen(settings.upstreamArgs[0]?.values));
});

Deno.test("resolveSettings() prefers flag to environment to file to default, and says which it was", async () => {
  const file = inFile({ logLevel: "info" });
  const env = { ...file.env, CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL: "debug" };
  const flags = [{ flag: "--log-level", value: "trace" }];
  const files = file.files ?? {};

  const byFlag = await settle({ flags, env, files });
  assert.equal(byFlag.settings.logLevel, "trace");
  assert.deepEqual(byFlag.origins.logLevel, { kind: "flag", name: "--log-level" });

  const byEnv = await settle({ env, files });
  assert.equal(byEnv.settings.logLevel, "debug");
  assert.deepEqual(byEnv.origins.logLevel, { kind: "env", name: "CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL" });

  const byFile = await settle(file);
  assert.equal(byFile.settings.logLevel, "info");
  assert.deepEqual(byFile.origins.logLevel, {
    kind: "file",
    path: "/etc/mcp/settings.jsonc",
    key: "logLevel",
  });
});

Deno.test("resolveSettings() does not judge a value that something stronger shadows", async () => {
  const { settings } = await settle({
    flags: [{ flag: "--no-headless" }],
    env: { PLAYWRIGHT_MCP_HEADLESS: "maybe" },
  });
  assert.equal(settings.headless, false);
});

Deno.test("resolveSettings() refuses a boolean that is neither true nor false, naming where it stands", async () => {
  for (const value of ["1", "yes", "on", "", "tru"]) {
    const [problem = ""] = await refusals({ env: { CLOAK_PLAYWRIGHT_MCP_STEALTH_ARGS: value } });
    assert.ok(problem.includes("CLOAK_PLAYWRIGHT_MCP_STEALTH_ARGS"));
    assert.ok(problem.includes('"true" or "false"'));
  }
  const { settings } = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_STEALTH_ARGS: " FALSE " } });
  assert.equal(settings.stealthArgs, false);
});

Deno.test("resolveSettings() refuses unknown transports, engines, channels and levels with the choices", async () => {
  const cases: [name: string, value: string, choice: string][] = [
    ["CLOAK_PLAYWRIGHT_MCP_TRANSPORT", "sse", "streamable-http"],
    ["PLAYWRIGHT_MCP_BROWSER_ENGINE", "chrome", "playwright"],
    ["CLOAK_PLAYWRIGHT_MCP_RELEASE_CHANNEL", "nightly", "preview"],
    ["CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL", "verbose", "silent"],
    ["CLOAK_PLAYWRIGHT_MCP_LOG_FORMAT", "xml", "json"],
  ];
  for (const [name, value, choice] of cases) {
    const [problem = ""] = await refusals({ env: { [name]: value } });
    assert.ok(problem.includes(name) && problem.includes(`"${choice}"`), problem);
  }
});

Deno.test("resolveSettings() takes a log level in any case and between blanks", async () => {
  for (const level of ["trace", "debug", "info", "warn", "error", "fatal", "silent"]) {
    const { settings } = await settle({
      env: { CLOAK_PLAYWRIGHT_MCP_LOG_LEVEL: ` ${level.toUpperCase()} ` },
    });
    assert.equal(settings.logLevel, level);
  }
});

Deno.test("resolveSettings() reports every problem at once, one a line", async () => {
  const problems = await refusals({
    flags: [{ flag: "--browser-engine", value: "x" }, { flag: "--http-port", value: "x" }],
    env: { CLOAK_PLAYWRIGHT_MCP_DRAIN_TIMEOUT_MS: "-1", PLAYWRIGHT_MCP_CODEGEN: "rust" },
  });
  assert.equal(problems.length, 4);
});

Deno.test("resolveSettings() points to the help", async () => {
  await assert.rejects(settle({ env: { PLAYWRIGHT_MCP_HEADLESS: "x" } }), (error) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.exitStatus, 2);
    assert.match(error.describe(), /See "cloakbrowser-mcp --help"$/);
    return true;
  });
});

Deno.test("resolveSettings() cuts a very long wrong value in its message", async () => {
  const [problem = ""] = await refusals({ env: { PLAYWRIGHT_MCP_HEADLESS: "x".repeat(1_000_000) } });
  assert.ok(problem.length < 500);
});

Deno.test("resolveSettings() takes the last of a repeated flag, and of both forms of a switch", async () => {
  const { settings } = await settle({
    flags: [
      { flag: "--log-level", value: "info" },
      { flag: "--log-level", value: "debug" },
      { flag: "--no-headless" },
      { flag: "--headless" },
    ],
  });
  assert.equal(settings.logLevel, "debug");
  assert.equal(settings.headless, true);
});

Deno.test("resolveSettings() starts relative paths where they were written", async () => {
  const byFlag = await settle({ flags: [{ flag: "--binary-path", value: "./chrome" }] });
  assert.equal(byFlag.settings.binaryPath, `${CWD}/chrome`);
  const byEnv = await settle({
    env: { PLAYWRIGHT_MCP_CONFIG: "pw.json", PLAYWRIGHT_MCP_INIT_PAGE: "../p.ts" },
  });
  assert.equal(byEnv.settings.upstreamConfigPath, `${CWD}/pw.json`);
  assert.deepEqual(byEnv.settings.initPages, ["/srv/site/p.ts"]);
  const byFile = await settle(inFile({ binaryPath: "chrome", initPages: ["p.ts"], cacheDir: "/abs" }));
  assert.equal(byFile.settings.binaryPath, "/etc/mcp/chrome");
  assert.deepEqual(byFile.settings.initPages, ["/etc/mcp/p.ts"]);
  assert.equal(byFile.settings.cacheDir, "/abs");
});

Deno.test("resolveSettings() leaves the sandbox to Playwright only with its engine", async () => {
  const engine = (value: string): { env: Record<string, string> } => ({
    env: { PLAYWRIGHT_MCP_BROWSER_ENGINE: value },
  });
  assert.equal((await settle(engine("cloak"))).settings.sandbox, false);
  assert.equal((await settle(engine("auto"))).settings.sandbox, false);
  assert.equal((await settle(engine("playwright"))).settings.sandbox, undefined);
  const asked = await settle({ flags: [{ flag: "--sandbox" }] });
  assert.equal(asked.settings.sandbox, true);
});

Deno.test("resolveSettings() reads the inverted sandbox variable, and Playwright's own before it", async () => {
  const inverted = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_NO_SANDBOX: "false" } });
  assert.equal(inverted.settings.sandbox, true);
  const both = await settle({
    env: { CLOAK_PLAYWRIGHT_MCP_NO_SANDBOX: "false", PLAYWRIGHT_MCP_SANDBOX: "false" },
  });
  assert.equal(both.settings.sandbox, false);
  const [problem = ""] = await refusals({ env: { CLOAK_PLAYWRIGHT_MCP_NO_SANDBOX: "1" } });
  assert.ok(problem.includes("CLOAK_PLAYWRIGHT_MCP_NO_SANDBOX"));
});

Deno.test("resolveSettings() reads lists of both forms", async () => {
  const comma = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_EXTRA_ARGS: "--a, --b" } });
  assert.deepEqual(comma.settings.extraArgs, ["--a", "--b"]);
  const json = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_EXTRA_ARGS: '["--window-size=1,2"]' } });
  assert.deepEqual(json.settings.extraArgs, ["--window-size=1,2"]);
  const command = await settle({ env: { CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: '["node", "x.js"]' } });
  assert.deepEqual(command.settings.upstreamCommand, ["node", "x.js"]);
});

Deno.test("resolveSettings() names key and expected type of a wrong value in the file", async () => {
  const problems = await refusals(
    inFile({ headless: "yes", drainTimeoutMs: "5", extraArgs: "--a", logLevel: 3 }),
  );
  assert.equal(problems.length, 4);
  assert.ok(
    problems.some((problem) =>
      problem.includes('"headless" in /etc/mcp/settings.jsonc') && /true or false/.test(problem)
    ),
  );
  assert.ok(problems.some((problem) => problem.includes('"extraArgs"') && /array of strings/.test(problem)));
});

Deno.test("resolveSettings() names a settings file that cannot be read, and what named it", async () => {
  const byFlag = await refusals({ flags: [{ flag: "--settings", value: "none.json" }] });
  assert.deepEqual(byFlag, [`Cannot read "${CWD}/none.json" for --settings: it does not exist`]);
  const byEnv = await refusals({ env: { CLOAK_PLAYWRIGHT_MCP_SETTINGS: "/none" } });
  assert.ok(byEnv[0]?.includes("CLOAK_PLAYWRIGHT_MCP_SETTINGS"));
  assert.equal((await refusals({ env: { CLOAK_PLAYWRIGHT_MCP_SETTINGS: " " } })).length, 1);
});

Deno.test("resolveSettings() reports the file's own problems beside those of other sources", async () => {
  const { env, files } = inFile({ browserEngin: "auto" });
  const problems = await refusals({ env: { ...env, PLAYWRIGHT_MCP_HEADLESS: "x" }, files: files ?? {} });
  assert.equal(problems.length, 2);
});

Deno.test("judgeSettings() returns problems beside settings in which what cannot be used is at its default", async () => {
  const { problems, resolved } = await judgeSettings({
    flags: [{ flag: "--log-level", value: "loud" }, { flag: "--drain-timeout-ms", value: "7" }],
    env: {},
    cwd: CWD,
    readTextFile: () => assert.fail("a file was read"),
  });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /"loud" for --log-level/);
  assert.equal(resolved.settings.logLevel, (await settle({})).settings.logLevel);
  assert.equal(resolved.settings.drainTimeoutMs, 7);
  assert.ok(Object.isFrozen(resolved.settings));
});
