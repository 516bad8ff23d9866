import assert from "node:assert/strict";
import {
  type Circumstances,
  type PageFeatures,
  type PageFeatureSettings,
  type PageFeatureStates,
  reportPageFeatures,
  statePath,
  writePageFeatures,
} from "../../src/upstream/page_features.ts";

const WANTED: PageFeatureSettings = { humanize: true, humanPreset: "careful", consoleFallback: true };
const NOTHING_BUT_CONSOLE: PageFeatures = { consoleFallback: true, downloads: { mode: "keep" } };
const RUNNING: Circumstances = { engine: "cloak", embedded: true, runs: true };

/** The report of a session whose child has said `said`. */
async function report(
  said: PageFeatureStates | undefined,
  settings: Partial<PageFeatureSettings> = {},
  circumstances: Partial<Circumstances> = {},
): Promise<unknown> {
  const directory = await Deno.makeTempDir();
  try {
    const path = await writePageFeatures(directory, NOTHING_BUT_CONSOLE);
    if (said !== undefined) await Deno.writeTextFile(statePath(path), JSON.stringify(said));
    return await reportPageFeatures(directory, { ...WANTED, ...settings }, { ...RUNNING, ...circumstances });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("reportPageFeatures() tells what the child has said", async () => {
  const off = { active: false, reason: "this version of Playwright has no page.emit" };
  assert.deepEqual(await report({ humanize: { active: true }, consoleFallback: off }), {
    humanize: { enabled: true, active: true, preset: "careful" },
    consoleFallback: { enabled: true, ...off },
  });
});

Deno.test("reportPageFeatures() tells why nothing is active", async () => {
  const active: PageFeatureStates = { humanize: { active: true }, consoleFallback: { active: true } };
  const cases: readonly (readonly [PageFeatureStates | undefined, Partial<Circumstances>, string])[] = [
    [undefined, {}, "no page is open"],
    [active, { runs: false }, "no browser runs"],
    [active, { engine: "playwright" }, "the browser is left to Playwright MCP"],
    [active, { embedded: false }, "upstream was replaced"],
  ];
  for (const [said, circumstances, reason] of cases) {
    assert.deepEqual(await report(said, {}, circumstances), {
      humanize: { enabled: true, active: false, reason, preset: "careful" },
      consoleFallback: { enabled: true, active: false, reason },
    });
  }
  assert.deepEqual(await report(active, { humanize: false, consoleFallback: false }), {
    humanize: { enabled: false, active: false, preset: "careful" },
    consoleFallback: { enabled: false, active: false },
  });
});

Deno.test("writePageFeatures() forgets what the last child has said", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = await writePageFeatures(directory, NOTHING_BUT_CONSOLE);
    await Deno.writeTextFile(statePath(path), JSON.stringify({ humanize: { active: true } }));
    await writePageFeatures(directory, NOTHING_BUT_CONSOLE);
    assert.equal(await Deno.readTextFile(statePath(path)), "{}");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
