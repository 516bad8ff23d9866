/** What becomes of files that sites send: kept and linked, refused, or stopped where they would fill the disk. */
import assert from "node:assert/strict";
import { fileURLToPath as fromFileUrl } from "node:url";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { until } from "../harness/until.ts";
import { BrowserRun } from "./browser_run.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import type { BrowserUser, ToolCaller } from "./browser_user.ts";
import type { ToolResult } from "./tool_result.ts";

const WITHIN_MS = 15_000;
const MIB = 1024 * 1024;

const LONG_NAME = "n".repeat(300);
const PAGES = {
  "/files": `<title>Files</title><a href="/download">Note</a> <a href="/endless-download">Endless</a>
    <a href="/api/data" download="${LONG_NAME}.json">Long</a>
    <a href="/download" target="_blank">Popup</a>`,
};

/** Clicks a link, and asks until the results say so. */
async function download(
  user: BrowserUser<ToolCaller>,
  link: string,
  said: (result: ToolResult) => boolean,
): Promise<ToolResult> {
  let result = await user.click(`link "${link}"`);
  await until("what became of the download", async () => {
    if (said(result)) return true;
    result = await user.call("browser_evaluate", { function: "() => 1" });
    return false;
  }, WITHIN_MS);
  return result;
}

const linked = ({ links }: ToolResult): boolean => links.length > 0;
const noted = ({ text }: ToolResult): boolean => text.includes("### Note");

function filesIn(directory: string): string[] {
  try {
    return Array.from(Deno.readDirSync(directory), ({ name }) => name).toSorted();
  } catch {
    return [];
  }
}

Deno.test("downloads are linked in the result, and none overwrites another", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/files"));
  run.tree.record();
  const paths: string[] = [];
  for (const link of ["Note", "Note", "Popup"]) {
    const { links: [file, ...others], text } = await download(run, link, linked);
    assert.ok(file);
    assert.deepEqual(others, [], text);
    assert.equal(file.size, "downloaded text".length);
    const path = fromFileUrl(file.uri);
    assert.equal(await Deno.readTextFile(path), "downloaded text");
    assert.ok(path.endsWith(`/${file.name}`));
    paths.push(path.slice(run.folder.work.length));
    if (link === "Popup") await run.call("browser_tabs", { action: "select", index: 0 });
  }
  const at = "/.playwright-mcp";
  assert.deepEqual(paths, [`${at}/note.txt`, `${at}/note-2.txt`, `${at}/note-3.txt`]);
});

Deno.test("a download whose name no file system takes is kept under a shorter one", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start();
  await run.navigate(site.url("/files"));
  run.tree.record();
  const { links: [file] } = await download(run, "Long", linked);
  assert.match(file?.name ?? "", /^n{195}\.json$/);
});

Deno.test("--downloads session-dir keeps the files of one server apart over stdio, too", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start({ args: ["--downloads", "session-dir"] });
  await run.navigate(site.url("/files"));
  run.tree.record();
  const { links: [file] } = await download(run, "Note", linked);
  assert.match(
    fromFileUrl(file?.uri ?? "").slice(run.folder.work.length),
    /^\/\.playwright-mcp\/[0-9a-f]{8}\/note\.txt$/,
  );
});

Deno.test("--downloads allow puts the files of all HTTP sessions into one directory, without a loss", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await HttpBrowserRun.start({ args: ["--downloads", "allow"] });
  const users = await run.browsing([site.url("/files"), site.url("/files")]);
  const names: string[] = [];
  for (const user of users) names.push((await download(user, "Note", linked)).links[0]?.name ?? "");
  assert.deepEqual(names, ["note.txt", "note-2.txt"]);
});

Deno.test("--downloads deny takes no file, not from a popup either, and tells the agent", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start({ args: ["--downloads", "deny"] });
  await run.navigate(site.url("/files"));
  run.tree.record();
  for (
    const [link, name] of [["Note", "note.txt"], ["Popup", "note.txt"], ["Endless", "endless.bin"]] as const
  ) {
    const { text } = await download(run, link, noted);
    assert.match(text, new RegExp(`### Note\nThe download of "${name}" was refused: .*--downloads deny`));
    if (link === "Popup") await run.call("browser_tabs", { action: "select", index: 0 });
  }
  assert.deepEqual(
    filesIn(`${run.folder.work}/.playwright-mcp`).filter((name) => !/^(page|console)-/.test(name)),
    [],
  );
  const { downloads } = await run.report("cloakbrowser_bridge_info");
  assert.equal(downloads.mode, "deny");
});

Deno.test("--download-max-bytes stops what would be too much, keeps nothing of it, and takes what fits", async () => {
  await using site = new LoopbackSite(PAGES);
  await using run = await BrowserRun.start({ args: ["--download-max-bytes", String(MIB)] });
  await run.navigate(site.url("/files"));
  run.tree.record();
  const stopped = await download(run, "Endless", noted);
  assert.match(stopped.text, /"endless.bin" was stopped .* 1048576 bytes of --download-max-bytes/);
  const { links: [file] } = await download(run, "Note", linked);
  assert.equal(file?.name, "note.txt");
  assert.ok(!filesIn(`${run.folder.work}/.playwright-mcp`).includes("endless.bin"));
});
