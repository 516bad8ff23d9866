import assert from "node:assert/strict";
import { hostname } from "node:os";
import { clearUpstreamProfiles, upstreamProfiles } from "../../src/browser/upstream_profiles.ts";

/** A number above those that Linux gives out by default. */
const NOBODY = 4_194_303;

Deno.test("upstreamProfiles() is where upstream puts them on each system", () => {
  assert.equal(upstreamProfiles({ HOME: "/h" }, "linux"), "/h/.cache/ms-playwright-mcp");
  assert.equal(upstreamProfiles({ HOME: "/h", XDG_CACHE_HOME: "/c" }, "linux"), "/c/ms-playwright-mcp");
  assert.equal(upstreamProfiles({ HOME: "/h" }, "darwin"), "/h/Library/Caches/ms-playwright-mcp");
  assert.equal(upstreamProfiles({ HOME: "/h" }, "windows"), undefined);
  assert.equal(upstreamProfiles({}, "linux"), undefined);
});

Deno.test("clearUpstreamProfiles() frees the profiles of dead browsers, and no others", async () => {
  const cache = await Deno.makeTempDir();
  try {
    const env = { HOME: "/nowhere", XDG_CACHE_HOME: cache };
    await clearUpstreamProfiles(env);
    const profiles = `${cache}/ms-playwright-mcp`;
    const marks = {
      "mcp-chromium-dead": `${hostname()}-${NOBODY}`,
      "mcp-chromium-live": `${hostname()}-${Deno.pid}`,
      "mcp-chrome-elsewhere": `elsewhere-${NOBODY}`,
      "other": `${hostname()}-${NOBODY}`,
    };
    for (const [name, target] of Object.entries(marks)) {
      await Deno.mkdir(`${profiles}/${name}`, { recursive: true });
      await Deno.symlink(target, `${profiles}/${name}/SingletonLock`);
    }
    await clearUpstreamProfiles(env);
    const left: string[] = [];
    for (const name of Object.keys(marks)) {
      for await (const _entry of Deno.readDir(`${profiles}/${name}`)) left.push(name);
    }
    assert.deepEqual(left, ["mcp-chromium-live", "mcp-chrome-elsewhere", "other"]);
  } finally {
    await Deno.remove(cache, { recursive: true });
  }
});
