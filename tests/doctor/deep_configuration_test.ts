import assert from "node:assert/strict";
import { deepConfiguration } from "../../src/doctor/deep_configuration.ts";
import { doctorWorld, type WorldOptions } from "./test_world.ts";

async function configure(
  options: WorldOptions,
): Promise<{ args: string[]; settings: Record<string, unknown>; env: Record<string, string> }> {
  const world = await doctorWorld(options);
  const { settings, env } = deepConfiguration(world, await world.subject(), "/private");
  const args = settings.upstreamArgs.map(({ flag, values }) => [flag, ...values].join("="));
  return { args, settings, env };
}

Deno.test("deepConfiguration() keeps the user's profile, output and caches out of it", async () => {
  const { args, settings, env } = await configure({
    flags: [
      "--user-data-dir=/srv/p",
      "--output-dir=/srv/o",
      "--allowed-origins=https://a",
      "--caps=pdf",
      "--auto-update",
    ],
    env: { HOME: "/home/u", PLAYWRIGHT_MCP_USER_DATA_DIR: "/srv/q" },
  });
  assert.deepEqual(args, ["--caps=pdf", "--output-dir=/private/output", "--user-data-dir=/private/profile"]);
  assert.equal(settings["autoUpdate"], false);
  assert.deepEqual([env["XDG_CACHE_HOME"], env["XDG_CONFIG_HOME"]], ["/private/cache", "/private/config"]);
  assert.equal(env["PLAYWRIGHT_BROWSERS_PATH"], "/home/u/.cache/ms-playwright");
  assert.equal(env["DENO_DIR"], "/home/u/.cache/deno");
});

Deno.test("deepConfiguration() isolates where that is asked for or needed", async () => {
  assert.deepEqual((await configure({ flags: ["--isolated"] })).args, [
    "--isolated",
    "--output-dir=/private/output",
  ]);
  const state = await configure({ flags: ["--storage-state=/srv/s.json"] });
  assert.deepEqual(state.args, ["--storage-state=/srv/s.json", "--output-dir=/private/output", "--isolated"]);
});

Deno.test("deepConfiguration() names the browser by its path, so that none is looked for", async () => {
  const cloak = await configure({ subject: { source: "cloakbrowser", executablePath: "/cache/chrome" } });
  assert.equal(cloak.settings["binaryPath"], "/cache/chrome");
  const installed = await configure({
    subject: { source: "installed_chrome", executablePath: "/usr/bin/chromium" },
  });
  assert.equal(installed.settings["browserEngine"], "playwright");
  assert.ok(installed.args.includes("--executable-path=/usr/bin/chromium"));
});
