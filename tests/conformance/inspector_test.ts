/**
 * The command line of the official inspector as a foreign client, over HTTP and over standard input and output.
 *
 * Of version 2 Deno cannot install one optional dependency, which is why this is the last release of version 1.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { BrowserFolder } from "../e2e/browser_folder.ts";
import { HttpBrowserRun } from "../e2e/http_browser_run.ts";
import { testBrowserPath } from "../e2e/test_browser.ts";
import { ToolResult } from "../e2e/tool_result.ts";
import { processesNaming } from "../e2e/browser_processes.ts";
import type { Message } from "../harness/json_rpc_inbox.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";

/** What the launcher of the package hands over to; that itself needs Node and a folder of installed packages. */
const INSPECTOR = "npm:@modelcontextprotocol/inspector-cli@1.0.3/build/index.js";

const CONFIG = fileURLToPath(new URL("inspector.json", import.meta.url));

const GONE_WITHIN_MS = 10_000;

const TOOLS_LIST = ["--method", "tools/list"];

function toolsCall(name: string, args: Readonly<Record<string, string>>): string[] {
  const pairs = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${value}`]);
  return ["--method", "tools/call", "--tool-name", name, ...pairs];
}

/** Downloads it with this process's own settings for certificates and proxies, which no run inherits. */
async function fetchInspector(): Promise<void> {
  const args = ["cache", "--config", CONFIG, INSPECTOR];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Runs the inspector and resolves with the result that it prints. */
async function inspect(folder: BrowserFolder, args: readonly string[]): Promise<Message> {
  // It reads its own name and version from here.
  await Deno.writeTextFile(`${folder.path}/package.json`, '{ "name": "inspector", "version": "1.0.3" }');
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--config",
      CONFIG,
      "--cached-only",
      "--allow-all",
      `data:text/javascript,import ${JSON.stringify(INSPECTOR)}`,
      ...args,
    ],
    env: { ...folder.environment, CLOAKBROWSER_BINARY_PATH: await testBrowserPath() },
    clearEnv: true,
    cwd: folder.work,
  }).output();
  const [printed, said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${printed}\n${said}`);
  return JSON.parse(printed ?? "");
}

function assertToolList({ tools }: Message): void {
  const names = tools.map((tool: { name: string }) => tool.name);
  assert.ok(names.includes("browser_navigate") && names.includes("cloakbrowser_bridge_info"), names.join());
}

function assertPage(result: Message): void {
  const { isError, text } = new ToolResult({ result });
  assert.equal(isError, false, text);
  assert.match(text, /Page Title: Form/);
}

Deno.test("the inspector's command line works over HTTP", async (t) => {
  await fetchInspector();
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const target = [run.http.url, "--transport", "http"];
  const inspected = async (args: readonly string[]): Promise<Message> => {
    const result = await inspect(run.folder, [...target, ...args]);
    run.http.tree.record();
    return result;
  };
  await t.step("tools/list", async () => assertToolList(await inspected(TOOLS_LIST)));
  await t.step("tools/call", async () => {
    assertPage(await inspected(toolsCall("browser_navigate", { url: site.url("/form") })));
    assert.equal(site.visitsOf("/form").length, 1);
  });
});

Deno.test("the inspector's command line works over standard input and output", async (t) => {
  await fetchInspector();
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  const { command, args } = bridgeCommand();
  const inspected = (more: readonly string[]): Promise<Message> =>
    inspect(folder, [command, ...more, "--", ...args]);
  await t.step("tools/list", async () => assertToolList(await inspected(TOOLS_LIST)));
  await t.step("tools/call", async () => {
    assertPage(await inspected(toolsCall("browser_navigate", { url: site.url("/form") })));
    assert.equal(site.visitsOf("/form").length, 1);
  });
  await t.step("nothing is left", async () => {
    await until("no process", () => processesNaming(folder.path).length === 0, GONE_WITHIN_MS);
    await until("no temporary file", () => folder.temporaryEntries().length === 0, GONE_WITHIN_MS);
  });
});
