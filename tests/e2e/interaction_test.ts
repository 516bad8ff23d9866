/** Doing things to a page as a person does. Each test asserts what the page made of it. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserRun } from "./browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

Deno.test("browser_click clicks once, twice and with the right button", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/click"));
  await run.click('button "Clicked 0 times"');
  assert.equal(await run.evaluate("count.textContent"), "Clicked 1 times");
  await run.call("browser_click", { target: "#count", doubleClick: true });
  assert.equal(await run.evaluate("count.textContent"), "Clicked 3 times");
  await run.navigate(site.url("/mouse"));
  await run.call("browser_click", { target: "#board", button: "right" });
  assert.match(await run.evaluate("seen.textContent"), /contextmenu@200,150/);
});

Deno.test("browser_click on something that is not there says so", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/click"));
  assert.match((await run.callFailing("browser_click", { target: "e999" })).text, /e999 not found/);
});

Deno.test("browser_hover moves the mouse over an element", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/click"));
  await run.call("browser_hover", { target: await run.refOf('button "Show later"') });
  assert.equal(await run.evaluate("document.title"), "Hovered");
});

Deno.test("browser_drag drags one element onto another", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/click"));
  await run.call("browser_drag", { startTarget: "#target", endTarget: "#drop" });
  assert.equal(await run.evaluate("drop.textContent"), "Dropped");
});

Deno.test("browser_type fills at once, types key by key, and submits", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/keys"));
  const target = await run.refOf('textbox "Text"');
  await run.call("browser_type", { target, text: "filled 読🎉" });
  assert.deepEqual(await run.evaluate("[text.value, events.textContent]"), ["filled 読🎉", "none"]);
  await run.call("browser_type", { target, text: "abc", slowly: true, submit: true });
  assert.deepEqual(await run.evaluate("[events.textContent, sent.textContent]"), [
    "4 keys, last Enter",
    "sent filled 読🎉abc",
  ]);
});

Deno.test("browser_press_key presses a key and a combination", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/keys"));
  await run.call("browser_click", { target: "#text" });
  await run.call("browser_press_key", { key: "ArrowLeft" });
  assert.equal(await run.evaluate("events.textContent"), "1 keys, last ArrowLeft");
  await run.call("browser_press_key", { key: "Shift+KeyA" });
  assert.equal(await run.evaluate("text.value"), "A");
});

Deno.test("browser_fill_form fills every kind of field, and the form is sent", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/order"));
  await run.call("browser_fill_form", {
    fields: [
      { name: "Name", type: "textbox", target: await run.refOf('textbox "Name"'), value: "Ada" },
      { name: "Agree", type: "checkbox", target: await run.refOf('checkbox "Agree"'), value: "true" },
      { name: "Large", type: "radio", target: await run.refOf('radio "Large"'), value: "true" },
      { name: "Colour", type: "combobox", target: await run.refOf('combobox "Colour"'), value: "Blue" },
      { name: "Volume", type: "slider", target: await run.refOf('slider "Volume"'), value: "7" },
    ],
  });
  assert.equal(
    await run.evaluate("order.textContent"),
    "name=Ada; password=; agree=on; size=large; colour=Blue; volume=7",
  );
  await run.navigate(site.url("/form"));
  await run.call("browser_type", { target: await run.refOf('textbox "Name"'), text: "Ada" });
  await run.click('button "Send"');
  const [sent] = site.visitsOf("/submit");
  assert.deepEqual([sent?.method, sent?.body], ["POST", "name=Ada&notes="]);
});

Deno.test("browser_select_option selects by label and value", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/select"));
  const target = await run.refOf('combobox "Colour"');
  await run.call("browser_select_option", { target, values: ["Blue"] });
  assert.equal(await run.evaluate("chosen.textContent"), "chosen blue");
  await run.call("browser_select_option", { target, values: ["red"] });
  assert.equal(await run.evaluate("chosen.textContent"), "chosen red");
});

Deno.test("browser_file_upload gives a file of the workspace to the page, and none from elsewhere", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  const note = run.folder.write("note.txt", "from the disk");
  await run.navigate(site.url("/upload"));
  const opened = await run.click('button "File"');
  assert.match(opened.section("Modal state"), /file chooser/i);
  await run.call("browser_file_upload", { paths: [note] });
  await run.call("browser_wait_for", { text: "note.txt: from the disk" });
  await run.click('button "File"');
  const { text } = await run.callFailing("browser_file_upload", { paths: ["/etc/hostname"] });
  assert.match(text, /outside allowed roots/);
  await run.call("browser_file_upload", {});
});

Deno.test("browser_drop drops files and data", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start();
  const note = run.folder.write("note.txt", "dropped text");
  await run.navigate(site.url("/drop"));
  await run.call("browser_drop", { target: "#zone", paths: [note] });
  await run.call("browser_wait_for", { text: "note.txt: dropped text" });
  await run.call("browser_drop", { target: "#zone", data: { "text/plain": "only data" } });
  await run.call("browser_wait_for", { text: "only data" });
});

Deno.test("browser_handle_dialog accepts, dismisses and answers", async () => {
  await using site = new LoopbackSite();
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/dialog"));
  const opened = await run.click('button "Alert"');
  assert.match(opened.section("Modal state"), /"alert" dialog with message "Take note"/);
  const refused = await run.callFailing("browser_snapshot");
  assert.match(refused.text, /modal state/, "only the dialog can be handled now");
  await run.call("browser_handle_dialog", { accept: true });
  assert.equal(await run.evaluate("answer.textContent"), "noted");
  await run.click('button "Confirm"');
  await run.call("browser_handle_dialog", { accept: false });
  assert.equal(await run.evaluate("answer.textContent"), "confirmed false");
  await run.click('button "Prompt"');
  await run.call("browser_handle_dialog", { accept: true, promptText: "Ada" });
  assert.equal(await run.evaluate("answer.textContent"), "said Ada");
});

Deno.test("--caps vision: the mouse moves, clicks, drags and scrolls at coordinates", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await BrowserRun.start({ args: ["--caps", "vision"] });
  await run.navigate(site.url("/mouse"));
  await run.call("browser_mouse_click_xy", { x: 30, y: 40 });
  await run.call("browser_mouse_drag_xy", { startX: 50, startY: 60, endX: 70, endY: 80 });
  await run.call("browser_mouse_move_xy", { x: 90, y: 100 });
  await run.call("browser_mouse_down");
  await run.call("browser_mouse_up");
  await run.call("browser_mouse_wheel", { deltaX: 0, deltaY: 10 });
  await run.call("browser_wait_for", { text: "wheel@90,100" });
  assert.equal(
    await run.evaluate("seen.textContent"),
    "mousedown@30,40 mouseup@30,40 click@30,40 mousedown@50,60 mouseup@70,80 click@70,80 " +
      "mousedown@90,100 mouseup@90,100 click@90,100 wheel@90,100",
  );
});
