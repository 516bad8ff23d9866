import assert from "node:assert/strict";
import { join } from "node:path";
import { findInstalledChrome, isExecutableFile } from "../../src/browser/installed_chrome.ts";

/** A disk with these files. */
function disk(...files: string[]): (path: string) => Promise<boolean> {
  return (path) => Promise.resolve(files.includes(path));
}

Deno.test("findInstalledChrome() prefers Chrome to Chromium and both to Edge on Linux", async () => {
  const env = { PATH: "/home/me/bin:/usr/bin" };
  const found = (...files: string[]): Promise<string | undefined> =>
    findInstalledChrome(env, disk(...files), "linux");
  assert.equal(
    await found("/usr/bin/chromium", "/usr/bin/google-chrome", "/usr/bin/microsoft-edge"),
    "/usr/bin/google-chrome",
  );
  assert.equal(
    await found("/usr/bin/microsoft-edge", "/usr/bin/chromium-browser"),
    "/usr/bin/chromium-browser",
  );
  assert.equal(await found("/usr/bin/microsoft-edge"), "/usr/bin/microsoft-edge");
  assert.equal(await found("/usr/bin/chromium", "/home/me/bin/chromium"), "/home/me/bin/chromium");
});

Deno.test("findInstalledChrome() looks where programs are installed without a PATH", async () => {
  assert.equal(await findInstalledChrome({}, disk("/snap/bin/chromium"), "linux"), "/snap/bin/chromium");
  assert.equal(await findInstalledChrome({ PATH: "bin:." }, disk("bin/chromium"), "linux"), undefined);
});

Deno.test("findInstalledChrome() finds applications of macOS", async () => {
  const chromium = "/Applications/Chromium.app/Contents/MacOS/Chromium";
  const chrome = "/Users/me/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  assert.equal(await findInstalledChrome({ HOME: "/Users/me" }, disk(chromium, chrome), "darwin"), chrome);
});

Deno.test("findInstalledChrome() finds programs of Windows, whose variables have no case", async () => {
  const chrome = "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe";
  const env = { "ProgramFiles": "C:\\Program Files", "ProgramFiles(x86)": "C:\\Program Files (x86)" };
  assert.equal(await findInstalledChrome(env, disk(chrome), "windows"), chrome);
});

Deno.test("findInstalledChrome() finds nothing where nothing is", async () => {
  assert.equal(await findInstalledChrome({ PATH: "/usr/bin" }, disk(), "linux"), undefined);
});

Deno.test({
  name: "isExecutableFile() refuses directories and files that cannot be run",
  ignore: Deno.build.os === "windows",
}, async () => {
  const directory = await Deno.makeTempDir();
  const path = join(directory, "chrome");
  await Deno.writeTextFile(path, "", { mode: 0o644 });
  assert.equal(await isExecutableFile(path), false);
  await Deno.chmod(path, 0o755);
  assert.equal(await isExecutableFile(path), true);
  assert.equal(await isExecutableFile(directory), false);
  assert.equal(await isExecutableFile(join(directory, "none")), false);
  await Deno.remove(directory, { recursive: true });
});
