/** Code and configuration of the user that upstream loads from the disk. */
import assert from "node:assert/strict";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { BrowserRun, ENDS_WITHIN_MS } from "./browser_run.ts";
import { testBrowserPath } from "./test_browser.ts";

Deno.test("--init-page runs a TypeScript module that imports another one", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  folder.write(
    "lib/mark.ts",
    `import { basename } from "node:path";
export interface Mark { readonly text: string }
export const mark = (place: string): Mark => ({ text: \`marked by \${basename(place)}\` satisfies string });
`,
  );
  const page = folder.write(
    "init.ts",
    `import { type Mark, mark } from "./lib/mark.ts";
type Page = { addInitScript(script: (text: string) => void, text: string): Promise<void> };
export default async ({ page }: { page: Page }): Promise<void> => {
  const made: Mark = mark(import.meta.dirname);
  await page.addInitScript((text: string) => { (window as unknown as { mark: string }).mark = text; }, made.text);
};
`,
  );
  await using run = await BrowserRun.start({ folder, args: ["--init-page", page] });
  await run.navigate(site.url("/form"));
  assert.equal(await run.evaluate("window.mark"), "marked by work");
});

Deno.test("--init-page runs JavaScript modules of both kinds, one after the other", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const script = (letter: string): string =>
    `async ({ page }) => { await page.addInitScript(() => { window.marks = (window.marks ?? "") + "${letter}"; }); }`;
  const pages = [
    folder.write("common.cjs", `module.exports = { default: ${script("c")} };`),
    folder.write("module.mjs", `export default ${script("m")};`),
  ];
  await using run = await BrowserRun.start({ folder, args: pages.flatMap((page) => ["--init-page", page]) });
  await run.navigate(site.url("/form"));
  assert.equal(await run.evaluate("window.marks"), "cm");
});

Deno.test("--init-page that cannot be parsed ends the server with exit status 2 and the place of the mistake", async () => {
  using folder = new BrowserFolder();
  const page = folder.write("broken.ts", "export default (page: => {");
  const { command, args } = bridgeCommand();
  const client = StdioClient.start({
    command,
    args: [...args, "--init-page", page],
    env: { ...folder.environment, CLOAKBROWSER_BINARY_PATH: await testBrowserPath() },
    cwd: folder.work,
  });
  const { code } = await client.exit(ENDS_WITHIN_MS);
  assert.equal(code, 2, client.stderrText);
  assert.ok(client.stderrText.includes(`Cannot parse "${page}" for --init-page`), client.stderrText);
  assert.match(client.stderrText, /\(1:\d+\)/);
  assert.deepEqual(folder.temporaryEntries(), []);
});

Deno.test("--init-script runs in every page before the page's own scripts", async () => {
  await using site = new LoopbackSite({
    "/late": "<title>Late</title><script>document.title = `Late ${window.early}`;</script>",
  });
  using folder = new BrowserFolder();
  const script = folder.write("early.js", "window.early = `early at ${location.pathname}`;");
  await using run = await BrowserRun.start({ folder, args: ["--init-script", script] });
  await run.navigate(site.url("/late"));
  assert.equal(await run.evaluate("document.title"), "Late early at /late");
});

const CONFIGS: Readonly<Record<string, string>> = {
  "config.json": JSON.stringify({
    browser: {
      initScript: ["scripts/mark.js"],
      launchOptions: { args: ["--config-mark"] },
      contextOptions: { viewport: { width: 600, height: 500 }, userAgent: "Configured/1.0" },
    },
    capabilities: ["core", "pdf"],
  }),
  "config.ini": `browser.initScript = scripts/mark.js
browser.launchOptions.args = --config-mark
browser.contextOptions.viewport = 600x500
browser.contextOptions.userAgent = Configured/1.0
capabilities[] = core
capabilities[] = pdf
`,
};

for (const [name, content] of Object.entries(CONFIGS)) {
  Deno.test(`--config takes Playwright MCP's own ${name}, beside what is generated`, async () => {
    await using site = new LoopbackSite();
    using folder = new BrowserFolder();
    folder.write("settings/scripts/mark.js", "window.mark = 'from beside the configuration';");
    const path = folder.write(`settings/${name}`, content);
    await using run = await BrowserRun.start({ folder, args: ["--config", path] });
    await run.navigate(site.url("/form"));
    assert.deepEqual(await run.evaluate("[innerWidth, innerHeight, navigator.userAgent, window.mark]"), [
      600,
      500,
      "Configured/1.0",
      "from beside the configuration",
    ]);
    const { args } = run.browser();
    assert.ok(args.includes("--config-mark"), "the user's argument");
    assert.ok(args.some((arg) => arg.startsWith("--fingerprint=")), "beside the stealth arguments");
    await run.call("browser_pdf_save", { filename: "page.pdf" });
  });
}

Deno.test("a flag wins over the environment, and that over --config", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const contextOptions = { viewport: { width: 600, height: 500 }, userAgent: "File/1.0" };
  const path = folder.write("config.json", JSON.stringify({ browser: { contextOptions } }));
  const size = async (args: string[], env: Record<string, string>): Promise<unknown> => {
    await using run = await BrowserRun.start({ folder, args: ["--config", path, ...args], env });
    await run.navigate(site.url("/form"));
    return await run.evaluate("[innerWidth, innerHeight, navigator.userAgent]");
  };
  const environment = { PLAYWRIGHT_MCP_VIEWPORT_SIZE: "700x600" };
  assert.deepEqual(await size([], environment), [700, 600, "File/1.0"]);
  assert.deepEqual(await size(["--viewport-size", "800x650"], environment), [800, 650, "File/1.0"]);
});
