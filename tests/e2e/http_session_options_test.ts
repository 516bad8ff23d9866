/** What a client chooses for its session in the metadata of `initialize`, as the pages of its browser see it. */
import assert from "node:assert/strict";
import { initializeParams, type Message } from "../harness/http_client.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { HttpBrowserRun } from "./http_browser_run.ts";
import { E2E_PAGES } from "./pages.ts";

/** Status and error text of an `initialize` with this metadata. */
async function refusal(run: HttpBrowserRun, meta: unknown): Promise<{ status: number; message: string }> {
  const response = await run.http.client().post({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: initializeParams({ _meta: meta }),
  });
  const { error }: Message = await response.json();
  return { status: response.status, message: error.message };
}

Deno.test("each session has the browser that its client asked for", async (t) => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using run = await HttpBrowserRun.start({ args: ["--user-agent", "of the operator"] });
  await t.step("user agent and window", async () => {
    const [plain, shaped] = [
      await run.open(),
      await run.open({ userAgent: "of the session", viewportSize: "640x480" }),
    ];
    for (const user of [plain, shaped]) await user.navigate(site.url("/"));
    run.http.tree.record();
    assert.equal(await plain.evaluate("navigator.userAgent"), "of the operator");
    assert.equal(await shaped.evaluate("navigator.userAgent"), "of the session");
    assert.deepEqual(await shaped.evaluate("[innerWidth, innerHeight]"), [640, 480]);
    for (const user of [plain, shaped]) await user.end();
  });
  await t.step("a proxy, which stands in no command line", async () => {
    const proxyServer = site.origin.replace("http://", "http://name:very-secret@");
    const user = await run.open({ proxyServer });
    const lines = await Promise.all(
      run.http.tree.record().map(({ pid }) => Deno.readTextFile(`/proc/${pid}/cmdline`).catch(() => "")),
    );
    assert.ok(
      !lines.some((line) => line.includes("very-secret")),
      "the proxy's password is in a command line",
    );
    assert.equal(await user.client.end(), 200);
    const through = await run.open({ proxyServer: site.origin });
    assert.ok(
      (await through.navigate("http://proxied.example/second")).text.includes("- Page Title: Second"),
    );
    run.http.tree.record();
    assert.equal(site.visitsOf("/second").at(-1)?.headers["host"], "proxied.example");
    await through.end();
  });
  await t.step("a profile that is kept, for one session at a time", async () => {
    const userDataDir = `${run.folder.path}/kept`;
    const visits = async (): Promise<string> => {
      const user = await run.open({ userDataDir });
      await user.navigate(site.url("/visits"));
      run.http.tree.record();
      const second = await refusal(run, { cloakbrowser: { userDataDir } });
      assert.equal(second.status, 400);
      assert.match(
        second.message,
        /Profile ".*kept" is in use by process \d+ \(session [0-9a-f]{8}\) since /,
      );
      const said = await user.evaluate("visits.textContent");
      await user.end();
      return said;
    };
    assert.equal(await visits(), "cookie 0, storage 0");
    assert.equal(await visits(), "cookie 1, storage 1");
  });
});

Deno.test("session options that cannot be used are refused by name, and leave nothing", async (t) => {
  await using run = await HttpBrowserRun.start({ args: ["--session-options-allow", "headless,userDataDir"] });
  await Deno.writeTextFile(`${run.folder.path}/file`, "");
  const cases: readonly (readonly [meta: unknown, message: RegExp])[] = [
    [{ cloakbrowser: { headless: "no" } }, /^headless must be /],
    [{ cloakbrowser: { headless: null } }, /^headless must be /],
    [{ cloakbrowser: { userDataDir: ["a"] } }, /^userDataDir must be a non-empty string/],
    [
      { cloakbrowser: { userAgent: "x" } },
      /^userAgent may not be set by a session: this server allows only /,
    ],
    [{ cloakbrowser: "headless" }, /^cloakbrowser initialize metadata must be an object/],
    [
      { "io.github.swimmwatch/cloakbrowser-mcp": [] },
      /cloakbrowser-mcp initialize metadata must be an object/,
    ],
    [{ cloakbrowser: { userDataDir: `${run.folder.path}/file` } }, /file" as profile directory: /],
    [{ cloakbrowser: { userDataDir: "/proc/nothing" } }, /"\/proc\/nothing" as profile directory: /],
  ];
  for (const [meta, message] of cases) {
    await t.step(JSON.stringify(meta).slice(0, 60), async () => {
      const refused = await refusal(run, meta);
      assert.equal(refused.status, 400);
      assert.match(refused.message, message);
      const { sessions } = (await run.http.get("/readyz")).body;
      assert.deepEqual([sessions.active, sessions.pending], [0, 0]);
    });
  }
  await t.step("a name that means nothing here is ignored, and logged", async () => {
    const user = await run.open({ colour: "red", headless: true });
    assert.match(run.http.stderr, /ignored unknown session options fields=colour/);
    assert.equal(await user.client.end(), 200);
  });
});
