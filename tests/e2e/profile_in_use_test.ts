/** browser-1: a profile has one browser at a time, and a browser that is dead keeps nobody out. */
import assert from "node:assert/strict";
import { hostname } from "node:os";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { bridgeCommand } from "../harness/target.ts";
import { within } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun } from "./browser_run.ts";
import { E2E_PAGES } from "./pages.ts";
import { StandaloneBrowser } from "./standalone_browser.ts";

/** A number above those that Linux gives out by default. */
const NOBODY = 4_194_303;
const REFUSED_WITHIN_MS = 5_000;

/** What a server says that is refused the profile. */
async function refusal(folder: BrowserFolder, profile: string): Promise<string> {
  const { command, args } = bridgeCommand();
  const child = new Deno.Command(command, {
    args: [...args, "--user-data-dir", profile],
    env: folder.environment,
    cwd: folder.work,
    stdin: "null",
  }).output();
  const { code, stderr } = await within("the refusal", child, REFUSED_WITHIN_MS);
  assert.equal(code, 5);
  return new TextDecoder().decode(stderr);
}

function mark(profile: string, target: string): void {
  Deno.mkdirSync(profile);
  Deno.symlinkSync(target, `${profile}/SingletonLock`);
}

async function visits(site: LoopbackSite, folder: BrowserFolder, profile: string): Promise<string> {
  await using run = await BrowserRun.start({ folder, args: ["--user-data-dir", profile] });
  await run.navigate(site.url("/visits"));
  return await run.evaluate("visits.textContent");
}

Deno.test("browser-1 a second server is refused the profile by the name of the first, which is untouched", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const profile = `${folder.path}/profile`;
  await using run = await BrowserRun.start({ folder, args: ["--user-data-dir", profile] });
  await run.navigate(site.url("/visits"));
  assert.match(await refusal(folder, profile), new RegExp(`in use by process ${run.client.pid} `));
  assert.equal(await run.evaluate("visits.textContent"), "cookie 0, storage 0");
});

Deno.test("browser-1 the mark of another host is refused by that host's name, and stays", async () => {
  using folder = new BrowserFolder();
  const profile = `${folder.path}/profile`;
  mark(profile, "otherhost-1");
  assert.match(await refusal(folder, profile), /browser on host "otherhost" .*remove SingletonLock/s);
  assert.equal(await Deno.readLink(`${profile}/SingletonLock`), "otherhost-1");
});

Deno.test("browser-1 the mark of a dead browser of this host keeps nobody out", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const profile = `${folder.path}/profile`;
  mark(profile, `${hostname()}-${NOBODY}`);
  assert.equal(await visits(site, folder, profile), "cookie 0, storage 0");
  assert.equal(await visits(site, folder, profile), "cookie 1, storage 1");
});

Deno.test("browser-1 the mark of a browser that runs is refused, and both stay", async () => {
  using folder = new BrowserFolder();
  const profile = `${folder.path}/profile`;
  await using browser = await StandaloneBrowser.start(profile);
  const target = await Deno.readLink(`${profile}/SingletonLock`);
  assert.match(
    await refusal(folder, profile),
    new RegExp(`browser with process id ${target.split("-").at(-1)}`),
  );
  assert.equal(await Deno.readLink(`${profile}/SingletonLock`), target);
  assert.ok((await browser.version()).Browser);
});

Deno.test("a server that is killed with its browser leaves a profile that works at once", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  using folder = new BrowserFolder();
  const profile = `${folder.path}/profile`;
  assert.equal(await visits(site, folder, profile), "cookie 0, storage 0");
  {
    await using run = await BrowserRun.start({ folder, args: ["--user-data-dir", profile] });
    await run.navigate(site.url("/form"));
    run.tree.record();
    run.leavesTemporaryFiles = true;
    run.sharesFolder = true;
    run.client.signal("SIGKILL");
    await run.client.exit(REFUSED_WITHIN_MS);
    assert.ok((await Deno.lstat(`${profile}/SingletonLock`)).isSymlink, "the mark is left");
    assert.equal(await visits(site, folder, profile), "cookie 1, storage 1");
  }
});
