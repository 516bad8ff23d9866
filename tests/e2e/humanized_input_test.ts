/** Humanized input, as the page that gets it sees it: by the times and places of its events. */
import assert from "node:assert/strict";
import { pageHtml } from "../harness/loopback_pages.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserRun } from "./browser_run.ts";
import type { BrowserUser, ToolCaller } from "./browser_user.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";

const FORM = `<label>Name <input id="field"></label> <button id="button">Press</button>
<label><input type="checkbox" id="box"> Agree</label> <label>Day <input id="day" type="date"></label>
<label>Notes <textarea id="notes"></textarea></label>
<label>Colour <select id="colour"><option>Red</option><option>Blue</option></select></label>
<script>
  window.seen = [];
  for (const type of ["mousemove", "mousedown", "click", "dblclick", "contextmenu", "keydown"]) {
    addEventListener(type, (event) => {
      seen.push([type, event.target.id ?? "", event.timeStamp, event.key ?? ""]);
    }, true);
  }
</script>`;

const PAGES = {
  "/human": pageHtml("Human", FORM),
  "/framed": pageHtml("Framed", `<p>Outside</p><iframe src="/human" width="600" height="300"></iframe>`),
  "/far": pageHtml(
    "Far",
    `<div style="height: 2500px">Top</div><button id="button">Deep</button>
<script>window.scrolls = 0; addEventListener("scroll", () => { scrolls++; });
button.onclick = () => { document.title = "Reached"; };</script>`,
  ),
  "/hidden": pageHtml("Hidden", `<button id="hidden" style="display: none">Hidden</button>`),
  "/drag": pageHtml(
    "Drag",
    `<div id="target" draggable="true">Drag me</div><br><div id="drop">Drop here</div>
<script>window.moves = 0; addEventListener("mousemove", () => { moves++; });
drop.ondragover = (event) => event.preventDefault(); drop.ondrop = () => { drop.textContent = "Dropped"; };</script>`,
  ),
};

type Seen = readonly (readonly [type: string, id: string, time: number, key: string])[];
type User = BrowserUser<ToolCaller>;

async function seen(user: User, frame = ""): Promise<Seen> {
  return await user.evaluate(frame === "" ? "seen" : `${frame}.seen`);
}

/** Movements of the mouse before the first press of a button. */
function movesBeforePress(events: Seen): number {
  const press = events.findIndex(([type]) => type === "mousedown");
  return events.slice(0, press).filter(([type]) => type === "mousemove").length;
}

/** Times between one key and the next, in milliseconds. */
function keyIntervals(events: Seen): number[] {
  const times = events.filter(([type]) => type === "keydown").map(([, , time]) => time);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

const TEXT = "quick brown fox";

async function typeInto(user: User, element: string, text: string, more = {}): Promise<void> {
  await user.call("browser_type", { element, target: await user.refOf(element), text, ...more });
}

/** Clicks and types, and looks how a person would have done it. */
async function assertHuman(user: User, url: string): Promise<void> {
  await user.navigate(url);
  await user.click('button "Press"');
  assert.ok(movesBeforePress(await seen(user)) > 5, "the mouse goes a way");
  await typeInto(user, 'textbox "Name"', TEXT);
  assert.equal(await user.evaluate("field.value"), TEXT);
  const intervals = keyIntervals(await seen(user));
  assert.ok(intervals.length >= TEXT.length - 1, "each character is a key");
  assert.ok(intervals.filter((interval) => interval > 10).length >= TEXT.length - 1, `${intervals}`);
  assert.ok(new Set(intervals.map(Math.round)).size > 3, `the pace varies: ${intervals}`);
}

async function assertPlain(user: User, url: string): Promise<void> {
  await user.navigate(url);
  await user.click('button "Press"');
  assert.ok(movesBeforePress(await seen(user)) <= 1, "the mouse is there at once");
  await typeInto(user, 'textbox "Name"', TEXT);
  assert.equal(await user.evaluate("field.value"), TEXT);
  assert.deepEqual(keyIntervals(await seen(user)), [], "the text is there at once");
}

Deno.test("input is plain without --humanize, whatever the preset", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start({ args: ["--human-preset", "careful"] });
  await assertPlain(run, site.url("/human"));
  const { humanize } = await run.report("cloakbrowser_bridge_info");
  assert.deepEqual(humanize, { enabled: false, active: false, preset: "careful" });
});

Deno.test("--humanize moves and types as a person does, with each tool", async (t) => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start({
    args: ["--humanize", "--caps", "vision", "--timeout-action", "4000"],
  });
  assert.match((await run.report("cloakbrowser_bridge_info")).humanize.reason, /^no /);
  await assertHuman(run, site.url("/human"));
  assert.deepEqual((await run.report("cloakbrowser_bridge_info")).humanize, {
    enabled: true,
    active: true,
    preset: "default",
  });
  await t.step("a text that is there is replaced, and one with lines is not sent", async () => {
    await typeInto(run, 'textbox "Name"', "Other!");
    assert.equal(await run.evaluate("field.value"), "Other!");
    await typeInto(run, 'textbox "Notes"', "one\ntwo\tthree");
    assert.equal(await run.evaluate("notes.value"), "one\ntwo\tthree");
  });
  await t.step("slowly typed text is added", async () => {
    await typeInto(run, 'textbox "Notes"', "A1", { slowly: true });
    assert.deepEqual(await run.evaluate("notes.value.length"), "one\ntwo\tthree".length + 2);
  });
  await t.step("a form is filled, with what cannot be typed", async () => {
    const fields = [
      {
        name: "Agree",
        type: "checkbox",
        element: "Agree",
        target: await run.refOf('checkbox "Agree"'),
        value: "true",
      },
      {
        name: "Day",
        type: "textbox",
        element: "Day",
        target: await run.refOf('textbox "Day"'),
        value: "2024-02-29",
      },
      {
        name: "Colour",
        type: "combobox",
        element: "Colour",
        target: await run.refOf('combobox "Colour"'),
        value: "Blue",
      },
    ];
    await run.call("browser_fill_form", { fields });
    assert.deepEqual(await run.evaluate("[box.checked, day.value, colour.value]"), [
      true,
      "2024-02-29",
      "Blue",
    ]);
  });
  await t.step("another button, a double click and a key", async () => {
    await run.evaluate("(seen.length = 0)");
    const target = await run.refOf('button "Press"');
    await run.call("browser_click", { element: "Press", target, button: "right" });
    await run.call("browser_click", { element: "Press", target, doubleClick: true });
    await run.call("browser_press_key", { key: "x" });
    const kinds = (await seen(run)).map(([type]) => type);
    for (const kind of ["contextmenu", "dblclick", "keydown"]) assert.ok(kinds.includes(kind), kind);
  });
  await t.step("a place instead of an element", async () => {
    const { x, y } = await run.evaluate("button.getBoundingClientRect().toJSON()");
    await run.evaluate("(seen.length = 0)");
    await run.call("browser_mouse_click_xy", { element: "Press", x: x + 5, y: y + 5 });
    const events = await seen(run);
    assert.ok(events.some(([type, id]) => type === "click" && id === "button"));
    assert.ok(movesBeforePress(events) > 1);
  });
  await t.step("hovering takes a way", async () => {
    await run.evaluate("(seen.length = 0)");
    await run.call("browser_hover", { element: "Notes", target: await run.refOf('textbox "Notes"') });
    assert.ok((await seen(run)).filter(([type]) => type === "mousemove").length > 5);
  });
  await t.step("inside a frame", async () => {
    await run.navigate(site.url("/framed"));
    await run.click('button "Press"');
    assert.ok(movesBeforePress(await seen(run, "frames[0]")) > 1);
    await typeInto(run, 'textbox "Name"', "abc def");
    assert.equal(await run.evaluate("frames[0].field.value"), "abc def");
    assert.ok(keyIntervals(await seen(run, "frames[0]")).filter((interval) => interval > 10).length >= 6);
  });
  await t.step("out of sight it is scrolled to", async () => {
    await run.navigate(site.url("/far"));
    await run.click('button "Deep"');
    assert.equal(await run.evaluate("document.title"), "Reached");
    assert.ok(await run.evaluate("scrolls") > 3);
  });
  await t.step("what is hidden fails within the time limit", async () => {
    await run.navigate(site.url("/hidden"));
    const { text } = await run.callFailing("browser_click", { target: "#hidden" });
    assert.match(text, /Timeout \d+ms exceeded/);
  });
  await t.step("a drag", async () => {
    await run.navigate(site.url("/drag"));
    await run.call("browser_drag", {
      startTarget: "#target",

      endTarget: "#drop",
    });
    assert.equal(await run.evaluate("drop.textContent"), "Dropped");
    assert.ok(await run.evaluate("moves") > 5);
  });
  await t.step("in a new tab", async () => {
    await run.call("browser_tabs", { action: "new" });
    await assertHuman(run, site.url("/human"));
  });
  await t.step("with another browser after browser_close", async () => {
    await run.call("browser_close");
    const { humanize } = await run.report("cloakbrowser_bridge_info");
    assert.deepEqual([humanize.active, humanize.reason], [false, "no page is open"]);
    await assertHuman(run, site.url("/human"));
  });
});

Deno.test("--humanize works with --isolated, where the context is no profile", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start({ args: ["--humanize", "--isolated"] });
  await assertHuman(run, site.url("/human"));
});

Deno.test("each HTTP session has the input that its client asked for, and takes no spare for it", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await HttpBrowserRun.start({ args: ["--http-warm-spares", "1"] });
  const plain = await run.open();
  const human = await run.open({ humanize: true, humanPreset: "careful" });
  await Promise.all([assertPlain(plain, site.url("/human")), assertHuman(human, site.url("/human"))]);
  run.http.tree.record();
  assert.deepEqual((await human.report("cloakbrowser_bridge_info")).humanize, {
    enabled: true,
    active: true,
    preset: "careful",
  });
  for (const user of [plain, human]) await user.end();
});
