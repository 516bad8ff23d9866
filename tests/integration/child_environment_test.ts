/** What reaches the child: filtered environment, generated config, no secrets. */
import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";

const SECRETS = {
  CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: "secret-http-token",
  CLOAK_PLAYWRIGHT_MCP_HTTPS_PASSPHRASE: "secret-passphrase",
  AWS_SECRET_ACCESS_KEY: "secret-of-somebody-else",
  NODE_OPTIONS: "--secret-node-options",
};

const PASSED = {
  PLAYWRIGHT_MCP_VIEWPORT_SIZE: "800x600",
  PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://127.0.0.1:1",
  PLAYWRIGHT_BROWSERS_PATH: "/nonexistent/browsers",
  LANG: "C.UTF-8",
  https_proxy: "http://127.0.0.1:2",
};

Deno.test("the child gets the allowed environment and no secrets", async () => {
  await using run = await BridgeRun.initialized({ env: { ...SECRETS, ...PASSED } });
  const { env, args } = (await run.client.callTool("env")).result.structuredContent;
  for (const [name, value] of Object.entries(PASSED)) assert.equal(env[name], value, name);
  assert.ok(env.PATH && env.HOME, "what every program needs");
  for (const [name, value] of Object.entries(SECRETS)) {
    assert.equal(env[name], undefined, name);
    assert.ok(!JSON.stringify([env, args]).includes(value), `${name} by another way`);
  }
});

Deno.test("the child gets a config file that carries the user's own", async () => {
  await using run = new BridgeRun({ args: ["--config", "mine.json"] });
  await Deno.writeTextFile(
    `${run.folder.work}/mine.json`,
    JSON.stringify({ browser: { launchOptions: { slowMo: 7 } }, capabilities: ["pdf"] }),
  );
  await run.client.initialize();
  const { config, configPath } = (await run.client.callTool("env")).result.structuredContent;
  assert.ok(configPath.startsWith(run.folder.temporary), "in the private temporary directory");
  const parsed = JSON.parse(config);
  assert.deepEqual(parsed.capabilities, ["pdf"]);
  assert.equal(parsed.browser.launchOptions.slowMo, 7);
});

Deno.test("the private temporary directory is closed to others", async () => {
  await using run = await BridgeRun.initialized();
  const [directory, ...others] = run.folder.temporaryDirectories();
  assert.deepEqual(others, []);
  assert.equal(directory?.mode, 0o700);
});

Deno.test("the child has a session of its own", async () => {
  await using run = await BridgeRun.initialized();
  const [pid] = run.log.pids();
  const child = run.tree.record().find((stat) => stat.pid === pid);
  assert.deepEqual([child?.session, child?.group], [pid, pid]);
});
