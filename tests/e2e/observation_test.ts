/** What an agent gets to see of a page. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserRun } from "./browser_run.ts";
import { E2E_PAGES } from "./pages.ts";
import { jpegSize, pngSize } from "./picture_size.ts";

Deno.test("browser_take_screenshot returns a PNG of the viewport's size and writes it to the output directory", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/tall"));
  await run.call("browser_resize", { width: 640, height: 480 });
  const shot = await run.call("browser_take_screenshot", { scale: "css" });
  assert.deepEqual(shot.images.map(({ mimeType }) => mimeType), ["image/png"]);
  assert.deepEqual(pngSize(shot.images[0]?.bytes ?? new Uint8Array()), [640, 480]);
  const path = shot.link("Screenshot of viewport");
  assert.match(path, /^\.playwright-mcp\/page-.*\.png$/);
  assert.deepEqual(pngSize(await Deno.readFile(`${run.folder.work}/${path}`)), [640, 480]);
});

Deno.test("browser_take_screenshot takes the whole page, one element, and other formats", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/tall"));
  await run.call("browser_resize", { width: 640, height: 480 });
  await run.call("browser_take_screenshot", { scale: "css", fullPage: true, filename: "full.png" });
  const [width, height] = pngSize(await Deno.readFile(`${run.folder.work}/full.png`));
  assert.equal(width, 640);
  assert.ok(height > 3000, `${height}`);
  await run.navigate(site.url("/box"));
  const box = await run.call("browser_take_screenshot", { scale: "css", target: "#box" });
  assert.deepEqual(pngSize(box.images[0]?.bytes ?? new Uint8Array()), [120, 80]);
  const jpeg = await run.call("browser_take_screenshot", { scale: "css", type: "jpeg" });
  assert.equal(jpeg.images[0]?.mimeType, "image/jpeg");
  assert.deepEqual(jpegSize(jpeg.images[0]?.bytes ?? new Uint8Array()), [640, 480]);
});

Deno.test("--caps pdf: browser_pdf_save writes a PDF", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start({ args: ["--caps", "pdf"] });
  await run.navigate(site.url("/form"));
  await run.call("browser_pdf_save", { filename: "form.pdf" });
  const bytes = await Deno.readFile(`${run.folder.work}/form.pdf`);
  const text = new TextDecoder("latin1").decode(bytes);
  assert.match(text, /^%PDF-1\.\d/);
  assert.ok(text.trimEnd().endsWith("%%EOF"), "the file is whole");
});

Deno.test("tools of further capabilities are there with --caps alone", async () => {
  await using run = await BrowserRun.start();
  assert.match((await run.callFailing("browser_pdf_save")).text, /not found/i);
});

Deno.test("browser_console_messages tells messages by level, and errors of the page", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/console"));
  const all = (await run.call("browser_console_messages", { level: "debug" })).text;
  for (
    const part of ["[LOG] log line 1", "[WARNING] warning line", "[ERROR] error line", "Error: page error"]
  ) {
    assert.ok(all.includes(part), all);
  }
  const errors = (await run.call("browser_console_messages", { level: "error" })).text;
  assert.ok(errors.includes("error line") && !errors.includes("warning line"), errors);
});

Deno.test("browser_network_requests lists requests, browser_network_request shows one", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/fetch"));
  await run.call("browser_wait_for", { text: "got 42" });
  const list = (await run.call("browser_network_requests", { static: true })).section("Result");
  assert.ok(list.includes(`1. [GET] ${site.url("/fetch")} => [200] OK`), list);
  assert.ok(list.includes(`2. [POST] ${site.url("/api/data")} => [200] OK`), list);
  const body = await run.call("browser_network_request", { index: 2, part: "request-body" });
  assert.equal(body.section("Result"), '{"ask":1}');
  const answer = await run.call("browser_network_request", { index: 2, part: "response-body" });
  assert.equal(answer.section("Result"), '{"value":42}');
});

Deno.test("browser_evaluate returns values of the page, and errors of the code", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/form"));
  assert.deepEqual(await run.evaluate("({ title: document.title, list: [1, null, '読'] })"), {
    title: "Form",
    list: [1, null, "読"],
  });
  const target = await run.refOf('button "Send"');
  const element = await run.call("browser_evaluate", { target, function: "(element) => element.tagName" });
  assert.equal(element.section("Result"), '"BUTTON"');
  assert.match(
    (await run.callFailing("browser_evaluate", { function: "() => nothing.here" })).text,
    /ReferenceError/,
  );
});

Deno.test("browser_run_code_unsafe runs code of Playwright", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/form"));
  const { text } = await run.call("browser_run_code_unsafe", {
    code:
      'async (page) => { await page.getByLabel("Name").fill("Ada"); return page.getByLabel("Name").inputValue(); }',
  });
  assert.ok(text.includes('"Ada"'), text);
});

Deno.test("browser_find finds text in the snapshot", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/form"));
  assert.match((await run.call("browser_find", { text: "Notes" })).section("Result"), /textbox "Notes"/);
});

Deno.test("browser_emulate_media changes what style sheets see", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/form"));
  await run.call("browser_emulate_media", { colorScheme: "dark" });
  assert.equal(await run.evaluate('matchMedia("(prefers-color-scheme: dark)").matches'), true);
});

Deno.test("a result of many megabytes arrives whole", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/"));
  const text = await run.evaluate('"—読".repeat(4_000_000)');
  assert.equal(text.length, 8_000_000);
  assert.equal(text, "—読".repeat(4_000_000));
});
