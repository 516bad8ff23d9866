import assert from "node:assert/strict";
import type { BinaryInfo, BrowserPlan } from "../../src/browser/browser_plan.ts";
import { findSubject, type Subject } from "../../src/doctor/subject.ts";

const BINARY: BinaryInfo = {
  version: "146.0.1",
  bundledVersion: "146.0.1",
  platform: "linux-x64",
  tier: "free",
  binaryPath: "/cache/chrome",
  installed: false,
  cacheDir: "/cache",
  downloadUrl: "https://example.com",
};

async function find(
  browserEngine: "cloak" | "auto",
  plan: BrowserPlan,
  binary: BinaryInfo | null,
  chrome: string | undefined,
  upstreamCommand?: readonly string[],
): Promise<Subject> {
  const resolver = {
    plan: () => Promise.resolve(plan),
    info: () =>
      Promise.resolve({
        browserEngine: plan.engine,
        executablePath: plan.executablePath ?? null,
        source: plan.source,
        outputDir: "/out",
        binary,
        note: "why",
      }),
  };
  return await findSubject(resolver, { browserEngine, upstreamCommand }, () => Promise.resolve(chrome));
}

const CLOAK: BrowserPlan = { engine: "cloak", executablePath: "/cache/chrome", source: "cloakbrowser" };

Deno.test("findSubject() is what the resolver plans", async () => {
  const subject = await find("cloak", CLOAK, BINARY, "/usr/bin/chromium");
  assert.deepEqual(subject, {
    engine: "cloak",
    source: "cloakbrowser",
    executablePath: "/cache/chrome",
    note: "why",
    attaches: false,
    cloakbrowser: BINARY,
  });
});

Deno.test("findSubject() is the installed browser for auto, while CloakBrowser is not here", async () => {
  const missing = await find("auto", CLOAK, BINARY, "/usr/bin/chromium");
  assert.deepEqual([missing.source, missing.executablePath, missing.engine], [
    "installed_chrome",
    "/usr/bin/chromium",
    "playwright",
  ]);
  const here = await find("auto", CLOAK, { ...BINARY, installed: true }, "/usr/bin/chromium");
  assert.equal(here.executablePath, "/cache/chrome");
  assert.equal((await find("auto", CLOAK, BINARY, undefined)).executablePath, "/cache/chrome");
});

Deno.test("findSubject() leaves alone what is not started by this program", async () => {
  const attached: BrowserPlan = {
    engine: "playwright",
    executablePath: undefined,
    source: "upstream",
    attaches: true,
  };
  assert.equal((await find("cloak", attached, null, undefined)).notOurs, "the browser runs already");
  assert.match(
    (await find("cloak", CLOAK, BINARY, undefined, ["node"])).notOurs ?? "",
    /has a browser of its own$/,
  );
});
