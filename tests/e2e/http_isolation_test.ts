/** Two sessions of one HTTP server with real browsers: what one does, the other never sees. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { until } from "../harness/until.ts";
import { HttpBrowserRun, type HttpUser, NOTHING_LEFT_WITHIN_MS } from "./http_browser_run.ts";
import type { ToolResult } from "./tool_result.ts";

type Pair = readonly [HttpUser, HttpUser];

const NAMES = ["one", "two"] as const;

/** Expression of a page that writes a name into everything in which a site can keep something. */
function storing(name: string): string {
  return `(async () => {
    document.cookie = "${name}=here; max-age=3600; path=/";
    localStorage.setItem("${name}", "here");
    sessionStorage.setItem("${name}", "here");
    await (await caches.open("${name}")).put("/${name}", new Response("here"));
    await new Promise((resolve, reject) => {
      const request = indexedDB.open("${name}");
      request.onsuccess = () => { request.result.close(); resolve(); };
      request.onerror = reject;
    });
    return true;
  })()`;
}

/** Names that are found in each kind of storage. */
const STORED = `(async () => ({
  cookies: document.cookie.split("; ").map((cookie) => cookie.split("=")[0]),
  local: Object.keys(localStorage),
  session: Object.keys(sessionStorage),
  caches: await caches.keys(),
  databases: (await indexedDB.databases()).map(({ name }) => name),
}))()`;

/** What both do at the same time, each with a name of its own. */
function both<Result>(
  users: Pair,
  act: (user: HttpUser, name: string) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(users.map((user, index) => act(user, NAMES[index] ?? "")));
}

async function pair(run: HttpBrowserRun, url: string): Promise<Pair> {
  const [one, two] = await run.browsing([url, url]);
  assert.ok(one && two);
  return [one, two];
}

Deno.test("what sites store in one session no other session sees", async (t) => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const users = await pair(run, site.url("/"));
  await t.step("each has a profile directory that goes with its session", async () => {
    const profiles = await both(
      users,
      async (user) => (await user.report("cloakbrowser_bridge_info")).profile,
    );
    assert.deepEqual(profiles.map(({ kind }) => kind), ["session", "session"]);
    assert.deepEqual(profiles.map(({ path }) => path), await both(users, (user) => user.profile()));
    assert.ok(profiles.every(({ sizeBytes }) => sizeBytes > 10_000));
  });
  await t.step("cookies, storage, caches and databases", async () => {
    await both(users, (user, name) => user.evaluate(storing(name)));
    await both(users, (user) => user.navigate(site.url("/second")));
    const stored = await both(users, (user) => user.evaluate(STORED));
    assert.deepEqual(
      stored,
      NAMES.map((name) => ({
        cookies: [name],
        local: [name],
        session: [name],
        caches: [name],
        databases: [name],
      })),
    );
  });
  await t.step("the site is sent each session's own cookies", () => {
    const sent = site.visitsOf("/second").map(({ headers }) => headers.cookie).sort();
    assert.deepEqual(sent, ["one=here", "two=here"]);
  });
  await t.step("permissions", async () => {
    const state = `navigator.permissions.query({ name: "geolocation" }).then(({ state }) => state)`;
    const [one, two] = users;
    const before = await two.evaluate(state);
    await one.call("browser_run_code_unsafe", {
      code: `async (page) => { await page.context().grantPermissions(["geolocation"]); }`,
    });
    assert.equal(await one.evaluate(state), "granted");
    assert.equal(await two.evaluate(state), before);
    assert.notEqual(before, "granted");
  });
  await t.step("profile directories: private, different, and gone with their session", async () => {
    const [one, two] = await both(users, (user) => user.profile());
    assert.ok(one && two && one !== two, `${one} and ${two}`);
    for (const profile of [one, two]) {
      assert.ok(profile.startsWith(`${run.folder.temporary}/`), profile);
      assert.ok((await Deno.stat(profile)).isDirectory);
    }
    assert.deepEqual(run.folder.temporaryDirectories().map(({ mode }) => mode), [0o700, 0o700]);
    await users[0].end();
    await until("its directory gone", () => directories(run) === 1, NOTHING_LEFT_WITHIN_MS);
    assert.deepEqual((await users[1].evaluate(STORED)).cookies, ["two"], "the other one goes on");
    await users[1].end();
    await until("both directories gone", () => directories(run) === 0, NOTHING_LEFT_WITHIN_MS);
  });
  await t.step("a later session starts empty", async () => {
    const user = await run.open();
    await user.navigate(site.url("/second"));
    const { cookies, local, databases } = await user.evaluate(STORED);
    assert.deepEqual([cookies, local, databases], [[""], [], []]);
  });
});

Deno.test("console messages, requests and tabs of one session are not in another's", async (t) => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const [busy, quiet] = await pair(run, site.url("/form"));
  await busy.navigate(site.url("/console"));
  await busy.call("browser_tabs", { action: "new", url: site.url("/second") });
  await t.step("tabs", async () => {
    const { text } = await quiet.call("browser_tabs", { action: "list" });
    assert.match(text, /^- 0: \(current\) \[Form\]/m);
    assert.doesNotMatch(text, /^- 1:/m, text);
  });
  await t.step("console messages", async () => {
    const { text } = await quiet.call("browser_console_messages", { level: "debug" });
    assert.doesNotMatch(text, /line|page error/, text);
    await busy.call("browser_tabs", { action: "select", index: 0 });
    assert.match((await busy.call("browser_console_messages", { level: "debug" })).text, /error line/);
  });
  await t.step("requests", async () => {
    const { text } = await quiet.call("browser_network_requests", { static: true });
    assert.ok(!text.includes("/console") && !text.includes("/second"), text);
  });
  await t.step("closing the browser of one leaves the other's page where it was", async () => {
    await busy.call("browser_close");
    assert.match(await quiet.snapshot(), /textbox "Name"/);
  });
});

Deno.test("a download lands where only its own session's result names it", async (t) => {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const users = await pair(run, site.url("/"));
  const results = await both(
    users,
    (user, name) => downloaded(user, `${site.url("/download")}?text=of-${name}`),
  );
  const paths = results.map(({ text }) => /Downloaded file note\.txt to "([^"]+)"/.exec(text)?.[1] ?? "");
  await t.step("the same name twice makes two files", () => {
    assert.notEqual(paths[0], paths[1], paths.join());
  });
  await t.step("each holds what its own session fetched", () => {
    const contents = paths.map((path) => Deno.readTextFileSync(`${run.folder.work}/${path}`));
    assert.deepEqual(contents, ["of-one", "of-two"]);
  });
  await t.step("no session names the other's", () => {
    assert.ok(!results[0]?.text.includes(paths[1] ?? ""), results[0]?.text);
    assert.ok(!results[1]?.text.includes(paths[0] ?? ""), results[1]?.text);
  });
  await t.step("they stay when their sessions end", async () => {
    for (const user of users) await user.end();
    for (const path of paths) assert.ok((await Deno.stat(`${run.folder.work}/${path}`)).isFile);
  });
});

/** Follows a link to a file and resolves with the result that names it. */
async function downloaded(user: HttpUser, url: string): Promise<ToolResult> {
  await user.evaluate(`(() => {
    const link = document.createElement("a");
    link.href = ${JSON.stringify(url)};
    link.textContent = "Fetch";
    document.body.append(link);
    return true;
  })()`);
  const texts = [await user.click('link "Fetch"')];
  await until("the end of the download", async () => {
    if (texts.some(({ text }) => text.includes("Downloaded file"))) return true;
    texts.push(await user.call("browser_snapshot"));
    return false;
  }, NOTHING_LEFT_WITHIN_MS);
  const named = texts.find(({ text }) => text.includes("Downloaded file"));
  assert.ok(named);
  return named;
}

function directories(run: HttpBrowserRun): number {
  return run.folder.temporaryDirectories().length;
}
