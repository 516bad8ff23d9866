/** What a browser remembers from one server to the next, and where files go. */
import assert from "node:assert/strict";
import type { Message } from "../harness/json_rpc_inbox.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, type BrowserRunOptions, ENDS_WITHIN_MS } from "./browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

/** How a server is ended. */
type Ending = "end of input" | "SIGTERM";

/** Visits the page that counts its visits, with a server of its own, and returns what it says. */
async function visit(
  site: LoopbackSite,
  options: BrowserRunOptions,
  ending: Ending = "end of input",
): Promise<string> {
  await using run = await BrowserRun.start(options);
  await run.navigate(site.url("/visits"));
  const said = await run.evaluate("visits.textContent");
  if (ending === "SIGTERM") {
    run.tree.record();
    run.client.signal(ending);
    assert.equal((await run.client.exit(ENDS_WITHIN_MS)).code, 0);
  }
  return said;
}

for (const ending of ["end of input", "SIGTERM"] as const) {
  // A browser that is killed has not yet written cookies and storage of the last half minute.
  Deno.test(`${ending} closes the browser in order: the next server of the workspace finds its profile whole`, async () => {
    await using site = new LoopbackSite(E2E_PAGES);
    using folder = new BrowserFolder();
    assert.equal(await visit(site, { folder }, ending), "cookie 0, storage 0");
    assert.equal(await visit(site, { folder }, ending), "cookie 1, storage 1");
  });
}

Deno.test("--user-data-dir keeps the profile in the given directory", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const args = ["--user-data-dir", `${folder.path}/profile`];
  assert.equal(await visit(site, { folder, args }), "cookie 0, storage 0");
  assert.ok((await Deno.stat(`${folder.path}/profile/Default`)).isDirectory);
  assert.equal(await visit(site, { folder, args }), "cookie 1, storage 1");
  assert.equal(await visit(site, { folder }), "cookie 0, storage 0", "another profile");
});

Deno.test("cloakbrowser_bridge_info tells where the profile is, how large, and since when", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const from = Date.now();
  const profileOf = async (args: readonly string[]): Promise<Message> => {
    await using run = await BrowserRun.start({ folder, args });
    await run.navigate(site.url("/form"));
    return (await run.report("cloakbrowser_bridge_info")).profile;
  };
  const kept = await profileOf(["--user-data-dir", `${folder.path}/profile`]);
  assert.deepEqual([kept.kind, kept.path], ["kept", `${folder.path}/profile`]);
  assert.ok(kept.sizeBytes > 10_000, `${kept.sizeBytes} bytes`);
  assert.ok(Math.abs(Date.parse(kept.createdAt) - from) < 60_000, kept.createdAt);
  const nowhere = { path: null, sizeBytes: null, createdAt: null };
  assert.deepEqual(await profileOf([]), { kind: "workspace", ...nowhere });
  assert.deepEqual(await profileOf(["--isolated"]), { kind: "isolated", ...nowhere });
});

Deno.test("--isolated forgets the profile at the end", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const args = ["--isolated"];
  assert.equal(await visit(site, { folder, args }), "cookie 0, storage 0");
  assert.equal(await visit(site, { folder, args }), "cookie 0, storage 0");
});

Deno.test("--storage-state starts an isolated browser with cookies and storage", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const cookie = { name: "visits", value: "41", domain: "127.0.0.1", path: "/", expires: -1 };
  const state = {
    cookies: [{ ...cookie, httpOnly: false, secure: false, sameSite: "Lax" }],
    origins: [{ origin: site.origin, localStorage: [{ name: "visits", value: "7" }] }],
  };
  const path = folder.write("state.json", JSON.stringify(state));
  const args = ["--isolated", "--storage-state", path];
  assert.equal(await visit(site, { folder, args }), "cookie 41, storage 7");
});

Deno.test("--secrets types values that results do not show", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const secrets = folder.write("secrets.env", "LOGIN_PASSWORD=correct-horse-battery\n");
  await using run = await BrowserRun.start({ folder, args: ["--secrets", secrets] });
  await run.navigate(site.url("/order"));
  const target = await run.refOf('textbox "Password"');
  const typed = await run.call("browser_type", { target, text: "LOGIN_PASSWORD" });
  assert.doesNotMatch(typed.text, /correct-horse/);
  const { text } = await run.call("browser_evaluate", { function: "() => document.forms[0].password.value" });
  assert.doesNotMatch(text, /correct-horse/);
  assert.ok(text.includes("<secret>LOGIN_PASSWORD</secret>"), text);
  assert.equal(await run.evaluate("document.forms[0].password.value.length"), "correct-horse-battery".length);
});

Deno.test("--output-dir is where files go that have no name", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const directory = `${folder.path}/output`;
  await using run = await BrowserRun.start({ folder, args: ["--output-dir", directory] });
  await run.navigate(site.url("/form"));
  const path = (await run.call("browser_take_screenshot", { scale: "css" })).link("Screenshot of viewport");
  assert.ok((await Deno.stat(new URL(path, `file://${folder.work}/`))).isFile, path);
  const names = namesIn(directory);
  assert.ok(names.some((name) => name.endsWith(".png")), names.join());
  assert.equal((await run.report("cloakbrowser_binary_info")).outputDir, directory);
  assert.deepEqual(namesIn(folder.work), [], "nothing in the workspace");
});

Deno.test("a root of the client is the workspace", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const root = `${folder.path}/elsewhere`;
  await Deno.mkdir(root);
  await using run = await BrowserRun.start({ folder, initialize: { capabilities: { roots: {} } } });
  const navigated = run.navigate(site.url("/form"));
  const { id } = await run.client.incoming("roots/list");
  await run.client.send({ jsonrpc: "2.0", id, result: { roots: [{ uri: `file://${root}`, name: "root" }] } });
  await navigated;
  await run.call("browser_take_screenshot", { scale: "css", filename: "shot.png" });
  assert.ok((await Deno.stat(`${root}/shot.png`)).isFile);
});

function namesIn(directory: string): string[] {
  return Array.from(Deno.readDirSync(directory), ({ name }) => name);
}
