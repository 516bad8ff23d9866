/** CDP clients and MCP in one browser at the same time, and pictures of 20 MB on both ways. */
import assert from "node:assert/strict";
import { chromium, type Page } from "playwright-core";
import { pageHtml } from "../harness/loopback_pages.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { RawWebSocket } from "../harness/raw_websocket.ts";
import { BrowserRun } from "./browser_run.ts";
import { cdpOf, inState } from "./cdp_user.ts";

const CDP = ["--cdp-enabled", "--cdp-port-range", "19357-19366"];
const TOGETHER_MS = 30_000;
const MB = 1_000_000;
const PNG_SIGNATURE = "89504e470d0a1a0a";

/** Noise, which no compression makes smaller: four bytes of the picture for three of the page. */
const NOISE = pageHtml(
  "Noise",
  `<style>body { margin: 0 }</style><canvas width="3000" height="2500"></canvas><script>
    const canvas = document.querySelector("canvas"), context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    let seed = 1;
    for (let at = 0; at < image.data.length; at++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      image.data[at] = at % 4 === 3 ? 255 : seed >>> 24;
    }
    context.putImageData(image, 0, 0);
  </script>`,
);

/** Works in a page of its own until the time is over; gives the number of rounds. */
async function workIn(page: Page, url: string, name: string, until: number): Promise<number> {
  let rounds = 0;
  for (; performance.now() < until; rounds++) {
    await page.goto(`${url}?by=${name}&round=${rounds}`);
    const text = `${name} ${rounds}`;
    await page.evaluate(`document.title = ${JSON.stringify(text)}`);
    assert.equal(await page.title(), text);
    assert.ok((await page.screenshot()).length > 1_000);
  }
  return rounds;
}

Deno.test("two CDP clients and MCP work at once for 30 seconds without an error", async (t) => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: CDP });
  const first = await inState(run, "ready");
  await run.navigate(site.url("/form"));
  run.tree.record();
  const clients = await Promise.all([1, 2].map(() => chromium.connectOverCDP(first.discoveryUrl)));
  const end = performance.now() + TOGETHER_MS;
  const mcp = async (): Promise<number> => {
    let rounds = 0;
    for (; performance.now() < end; rounds++) {
      await run.navigate(site.url(`/second?round=${rounds}`));
      assert.equal(await run.evaluate("6 * 7"), 42);
      assert.equal((await run.call("browser_take_screenshot")).images.length, 1);
    }
    return rounds;
  };
  try {
    const pages = await Promise.all(clients.map(async (client) => {
      const [context] = client.contexts();
      assert.ok(context);
      return await context.newPage();
    }));
    const rounds = await Promise.all([
      mcp(),
      ...pages.map((page, index) => workIn(page, site.url("/"), `client-${index}`, end)),
    ]);
    await t.step("each came forward", () => assert.ok(Math.min(...rounds) > 3, rounds.join(", ")));
    await t.step("each visit came once", () => {
      const visits = site.visitsOf("/").length + site.visitsOf("/second").length;
      assert.equal(visits, rounds.reduce((sum, each) => sum + each, 0));
    });
    await t.step("in one generation", async () => {
      const { generation, discoveryUrl, activeConnections } = await cdpOf(run);
      assert.deepEqual([generation, discoveryUrl, activeConnections], [1, first.discoveryUrl, 2]);
    });
    for (const page of pages) await page.close();
  } finally {
    for (const client of clients) await client.close();
  }
});

Deno.test("a picture of 20 MB passes over CDP and over MCP", async (t) => {
  await using site = new LoopbackSite({ "/noise": NOISE });
  await using run = await BrowserRun.start({ args: [...CDP, "--viewport-size", "3000x2500"] });
  const { discoveryUrl } = await inState(run, "ready");
  await run.navigate(site.url("/noise"));
  run.tree.record();
  await t.step("over CDP", async () => {
    const targets = await (await fetch(`${discoveryUrl}/json/list`)).json();
    const noise = targets.find(({ title }: { title: string }) => title === "Noise");
    using socket = await RawWebSocket.open(noise.webSocketDebuggerUrl);
    await socket.sendText('{"id":1,"method":"Page.captureScreenshot"}');
    const answer = await socket.message(60_000);
    assertPicture(Uint8Array.fromBase64(JSON.parse(new TextDecoder().decode(answer?.payload)).result.data));
  });
  await t.step("over MCP", async () => {
    await run.call("browser_take_screenshot", { type: "png", filename: "noise.png" });
    assertPicture(await Deno.readFile(`${run.folder.work}/noise.png`));
    const data = await run.evaluate(`document.querySelector("canvas").toDataURL("image/png")`);
    assertPicture(Uint8Array.fromBase64(data.slice(data.indexOf(",") + 1)));
  });
});

function assertPicture(bytes: Uint8Array): void {
  assert.ok(bytes.length >= 20 * MB, `${bytes.length} bytes`);
  assert.equal(bytes.subarray(0, 8).toHex(), PNG_SIGNATURE);
}
