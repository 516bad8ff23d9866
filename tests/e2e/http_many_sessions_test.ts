/** Eight sessions of one HTTP server browse at once, each with a browser of its own. */
import assert from "node:assert/strict";
import { pageHtml } from "../harness/loopback_pages.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { readMemory } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { HttpBrowserRun, type HttpUser, NOTHING_LEFT_WITHIN_MS } from "./http_browser_run.ts";

const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8];
const MIB = 1024 * 1024;
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47];

const PAGES = Object.fromEntries(NUMBERS.map((number) => [
  `/page-${number}`,
  pageHtml(
    `Page ${number}`,
    `<h1>Page ${number}</h1><button onclick="this.textContent = 'Pressed ${number}'">Press ${number}</button>`,
  ),
]));

interface Seen {
  readonly title: string | undefined;
  readonly before: string;
  readonly after: string;
  readonly picture: Uint8Array | undefined;
}

async function browse(user: HttpUser, site: LoopbackSite, number: number): Promise<Seen> {
  const { text } = await user.navigate(site.url(`/page-${number}`));
  const before = await user.snapshot();
  await user.click(`button "Press ${number}"`);
  const after = await user.snapshot();
  const { images } = await user.call("browser_take_screenshot");
  return { title: /Page Title: (.+)/.exec(text)?.[1], before, after, picture: images[0]?.bytes };
}

Deno.test("eight sessions browse at once, each on its own page", async (t) => {
  await using site = new LoopbackSite(PAGES);
  await using run = await HttpBrowserRun.start();
  const startedAt = performance.now();
  const users = await Promise.all(NUMBERS.map(() => run.open()));
  const seen = await Promise.all(users.map((user, index) => browse(user, site, index + 1)));
  run.http.tree.record();
  const running = run.http.tree.running();
  const bytes = running.reduce((sum, { pid }) => sum + (readMemory(pid)?.residentBytes ?? 0), 0);
  const cost = `after ${Math.round(performance.now() - startedAt)} ms, ` +
    `${running.length} processes with ${Math.round(bytes / MIB)} MiB`;
  for (const [index, { title, before, after, picture }] of seen.entries()) {
    const number = index + 1;
    await t.step(`session ${number}`, () => {
      assert.equal(title, `Page ${number}`, cost);
      assert.ok(before.includes(`button "Press ${number}"`), `${before}\n${cost}`);
      assert.ok(after.includes(`button "Pressed ${number}"`), `${after}\n${cost}`);
      assert.deepEqual(Array.from(picture?.subarray(0, 4) ?? []), PNG_SIGNATURE, cost);
      assert.equal(site.visitsOf(`/page-${number}`).length, 1, cost);
    });
  }
  await t.step("the pictures differ", () => {
    const pictures = new Set(seen.map(({ picture }) => picture?.toBase64()));
    assert.equal(pictures.size, NUMBERS.length, cost);
  });
  await t.step("eight browsers and profiles", async () => {
    const profiles = await Promise.all(users.map((user) => user.profile()));
    assert.equal(new Set(profiles).size, NUMBERS.length, profiles.join("\n"));
  });
  await t.step("after the end of all only the server is left", async () => {
    assert.deepEqual(
      await Promise.all(users.map((user) => user.client.end())),
      NUMBERS.map(() => 200),
    );
    await until("only the server", () => run.http.tree.running().length === 1, NOTHING_LEFT_WITHIN_MS);
    assert.deepEqual(run.folder.temporaryDirectories(), []);
  });
});
