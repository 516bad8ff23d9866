/**
 * The calls that are made of both sides, in this order. Each page shows its state at once, so that what a result
 * says does not depend on how fast a side is.
 */

/** What a side has of its own. */
export interface Place {
  /** Its working directory. */
  readonly work: string;
  /** Address of a page of the site, which is the same for both. */
  readonly url: (path: string) => string;
  /** Address where nobody listens. */
  readonly deadUrl: string;
}

export interface Step {
  readonly tool: string;
  readonly args: (place: Place) => unknown;
}

function step(tool: string, args: unknown | ((place: Place) => unknown) = {}): Step {
  return { tool, args: typeof args === "function" ? (place) => args(place) : () => args };
}

function open(path: string): Step {
  return step("browser_navigate", ({ url }: Place) => ({ url: url(path) }));
}

function evaluate(expression: string): Step {
  return step("browser_evaluate", { function: `() => ${expression}` });
}

const SNAPSHOT = step("browser_snapshot");

export const SCRIPT: readonly Step[] = [
  // Looking at a page.
  open("/form"),
  SNAPSHOT,
  step("browser_snapshot", { boxes: true, depth: 3 }),
  step("browser_snapshot", { filename: "named.yml" }),
  step("browser_snapshot", { target: "e9" }),
  step("browser_find", { text: "Notes" }),
  step("browser_find", { regex: "sm.ll|large" }),
  step("browser_find", { text: "nowhere" }),
  step("browser_take_screenshot", { scale: "css" }),
  step("browser_take_screenshot", { scale: "css", type: "jpeg", filename: "shot.jpeg" }),
  step("browser_take_screenshot", { scale: "css", type: "webp", fullPage: true }),
  step("browser_take_screenshot", { scale: "device", target: "button" }),
  step("browser_pdf_save", { filename: "page.pdf" }),
  step("browser_pdf_save"),
  evaluate("({ list: [1, null, '—読🎉'], nested: { a: undefined, b: -0 } })"),
  step("browser_evaluate", { target: "button", function: "(element) => element.outerHTML" }),
  evaluate("nothing.here"),
  step("browser_run_code_unsafe", {
    code: "async (page) => [await page.title(), process.version === undefined]",
  }),
  step("browser_run_code_unsafe", { code: "async (page) => { throw new Error('on purpose'); }" }),
  step("browser_emulate_media", { colorScheme: "dark", reducedMotion: "reduce" }),
  evaluate("matchMedia('(prefers-color-scheme: dark)').matches"),
  step("browser_resize", { width: 700, height: 600 }),

  // Filling forms.
  open("/order"),
  step("browser_fill_form", {
    fields: [
      { name: "Name", type: "textbox", target: "[name=name]", value: "Ada" },
      { name: "Agree", type: "checkbox", target: "[name=agree]", value: "true" },
      { name: "Large", type: "radio", target: "[name=size]", value: "true" },
      { name: "Colour", type: "combobox", target: "[name=colour]", value: "Blue" },
      { name: "Volume", type: "slider", target: "[name=volume]", value: "7" },
    ],
  }),
  SNAPSHOT,
  step("browser_select_option", { target: "select", values: ["Red"], element: "Colour" }),
  step("browser_select_option", { target: "[name=agree]", values: ["Red"] }),
  open("/keys"),
  step("browser_type", { target: "#text", text: "filled" }),
  step("browser_type", { target: "#text", text: "ab", slowly: true, submit: true }),
  step("browser_press_key", { key: "Backspace" }),
  step("browser_press_key", { key: "NoSuchKey" }),
  SNAPSHOT,

  // Mouse.
  open("/click"),
  step("browser_click", { target: "#count", element: "the counter" }),
  step("browser_click", { target: "#count", doubleClick: true, modifiers: ["Shift"] }),
  step("browser_click", { target: "e999" }),
  step("browser_hover", { target: "#later" }),
  step("browser_drag", {
    startTarget: "#target",
    endTarget: "#drop",
    startElement: "it",
    endElement: "there",
  }),
  SNAPSHOT,
  step("browser_highlight", { target: "#count", style: "outline: 2px dashed red" }),
  step("browser_hide_highlight", { target: "#count" }),
  step("browser_hide_highlight"),
  open("/mouse"),
  step("browser_mouse_move_xy", { x: 10, y: 20 }),
  step("browser_mouse_down"),
  step("browser_mouse_up"),
  step("browser_mouse_click_xy", { x: 30, y: 40, button: "right" }),
  step("browser_mouse_drag_xy", { startX: 50, startY: 60, endX: 70, endY: 80 }),
  step("browser_mouse_wheel", { deltaX: 0, deltaY: 5 }),
  step("browser_wait_for", { text: "wheel@70,80" }),
  SNAPSHOT,

  // Files.
  open("/upload"),
  step("browser_click", { target: "#file" }),
  step("browser_file_upload", ({ work }: Place) => ({ paths: [`${work}/note.txt`] })),
  step("browser_wait_for", { text: "note.txt: a note" }),
  step("browser_file_upload", { paths: ["/etc/hostname"] }),
  open("/drop"),
  step("browser_drop", ({ work }: Place) => ({ target: "#zone", paths: [`${work}/note.txt`] })),
  step("browser_wait_for", { text: "note.txt: a note" }),
  step("browser_drop", { target: "#zone", data: { "text/plain": "only data" } }),

  // Dialogs.
  open("/dialog"),
  step("browser_handle_dialog", { accept: true }),
  step("browser_click", { target: "#prompt" }),
  SNAPSHOT,
  step("browser_handle_dialog", { accept: true, promptText: "Ada" }),
  SNAPSHOT,

  // Console and network.
  open("/noise"),
  step("browser_console_messages", { level: "debug" }),
  step("browser_console_messages", { level: "error", filename: "errors.txt" }),
  open("/fetch"),
  step("browser_wait_for", { text: "got 42" }),
  step("browser_network_requests", { static: true }),
  step("browser_network_requests", { static: false, filter: "api" }),
  step("browser_network_request", { index: 2 }),
  step("browser_network_request", { index: 2, part: "request-body" }),
  step("browser_network_request", { index: 99 }),
  step("browser_navigate", ({ deadUrl }: Place) => ({ url: deadUrl })),
  // The browser's error page comes after the answer, and would interrupt the next navigation.
  step("browser_wait_for", { text: "ERR_CONNECTION_REFUSED" }),
  step("browser_navigate", { url: "file:///etc/hostname" }),

  // Tabs.
  open("/tabs"),
  step("browser_tabs", { action: "new" }),
  step("browser_tabs", ({ url }: Place) => ({ action: "new", url: url("/second") })),
  step("browser_tabs", { action: "select", index: 0 }),
  step("browser_tabs", { action: "close", index: 1 }),
  step("browser_tabs", { action: "list" }),
  step("browser_tabs", { action: "select", index: 9 }),
  step("browser_wait_for", { time: 0.1 }),
  open("/form"),
  step("browser_navigate_back"),

  // Recordings of all kinds.
  step("browser_start_recording"),
  open("/form"),
  step("browser_click", { target: "[name=agree]" }),
  step("browser_stop_recording"),
  step("browser_start_tracing"),
  open("/click"),
  step("browser_stop_tracing"),
  step("browser_start_video", { filename: "film.webm", size: { width: 320, height: 240 } }),
  step("browser_video_chapter", { title: "One", description: "The first", duration: 10 }),
  step("browser_video_show_actions", { duration: 10, position: "top" }),
  step("browser_click", { target: "#count" }),
  step("browser_video_hide_actions"),
  step("browser_stop_video"),
  step("browser_resume"),
  step("browser_annotate"),

  // What is asked for wrongly.
  step("browser_no_such_tool"),
  step("browser_click"),
  step("browser_resize", { width: "wide", height: 1 }),
  step("browser_wait_for", {}),

  // The end, and a new beginning.
  step("browser_close"),
  step("browser_snapshot"),
  open("/second"),
  step("browser_tabs", { action: "list" }),
];

/** Requests beside `tools/call`, and what upstream does not know. */
export const OTHER_REQUESTS: readonly { readonly method: string; readonly params?: unknown }[] = [
  { method: "ping" },
  { method: "tools/list", params: { cursor: "no such cursor" } },
  { method: "resources/list" },
  { method: "prompts/list" },
  { method: "prompts/get", params: { name: "none" } },
  { method: "completion/complete", params: { ref: { type: "ref/prompt", name: "none" }, argument: {} } },
  { method: "logging/setLevel", params: { level: "debug" } },
  { method: "no/such/method", params: { any: ["thing"] } },
];
