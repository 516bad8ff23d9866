/** The hidden `upstream` command by itself: what the bridge cannot be made to show, or would put right. */
import assert from "node:assert/strict";
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";
import { ProcessTree } from "../harness/process_tree.ts";
import { StdioClient } from "../harness/stdio_client.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";
import { BrowserFolder } from "./browser_folder.ts";
import { StandaloneBrowser } from "./standalone_browser.ts";
import { testBrowserPath } from "./test_browser.ts";
import { ToolResult } from "./tool_result.ts";

/** A parent is looked for every second; then its child has two more. The rest is for a loaded machine. */
const ORPHAN_ENDS_WITHIN_MS = 5_000;

const CALL_WITHIN_MS = 30_000;

interface UpstreamOptions {
  readonly args?: readonly string[];
  /** Puts a shell between test and child, so that the child's parent can be killed while its input stays open. */
  readonly viaShell?: boolean;
}

class UpstreamRun implements AsyncDisposable {
  readonly folder = new BrowserFolder();
  readonly client: StdioClient;
  readonly tree: ProcessTree;

  constructor(options: UpstreamOptions, launch: readonly string[]) {
    Deno.mkdirSync(`${this.folder.temporary}/private`);
    const { command, args } = bridgeCommand();
    const whole = [command, ...args, "upstream", ...launch, ...options.args ?? []];
    // Without the second command the shell would become the first instead of waiting for it.
    const [program = "", ...rest] = options.viaShell ? ["sh", "-c", '"$@"; exit 0', "sh", ...whole] : whole;
    this.client = StdioClient.start({
      command: program,
      args: rest,
      env: {
        ...inheritedEnvironment(),
        HOME: this.folder.home,
        TMPDIR: this.folder.temporary,
        CLOAKBROWSER_MCP_PRIVATE_TMP: this.privateTemp,
      },
      cwd: this.folder.work,
    });
    this.tree = new ProcessTree(this.client.pid);
  }

  static async start(options: UpstreamOptions = {}): Promise<UpstreamRun> {
    const executable = ["--executable-path", await testBrowserPath()];
    const run = new UpstreamRun(options, ["--headless", "--no-sandbox", ...executable]);
    await run.client.initialize({ capabilities: {} });
    return run;
  }

  get privateTemp(): string {
    return `${this.folder.temporary}/private/t`;
  }

  async call(name: string, args: unknown = {}): Promise<ToolResult> {
    const result = new ToolResult(await this.client.callTool(name, args, { withinMs: CALL_WITHIN_MS }));
    assert.equal(result.isError, false, result.text);
    return result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.tree.record();
    this.tree.killAll();
    await this.client.exit(ORPHAN_ENDS_WITHIN_MS);
    await this.tree.assertNothingLeft({ withinMs: ORPHAN_ENDS_WITHIN_MS });
    this.folder.remove();
  }
}

Deno.test("upstream ends within a bound of its parent's death, even with a blocked event loop", async () => {
  await using site = new LoopbackSite();
  await using run = await UpstreamRun.start({ viaShell: true });
  await run.call("browser_navigate", { url: site.url("/form") });
  const code = `async (page) => { await page.evaluate(() => fetch("/blocking")); while (true); }`;
  const answer = run.client.callTool("browser_run_code_unsafe", { code }, { withinMs: CALL_WITHIN_MS });
  answer.catch(() => {}); // there is none
  await until("the code to run", () => site.visitsOf("/blocking").length > 0, CALL_WITHIN_MS);
  run.tree.record();
  run.client.signal("SIGKILL");
  await run.tree.assertNothingLeft({ withinMs: ORPHAN_ENDS_WITHIN_MS });
});

Deno.test("upstream ends after its parent's death although its input stays open", async () => {
  await using site = new LoopbackSite();
  await using run = await UpstreamRun.start({ viaShell: true });
  await run.call("browser_navigate", { url: site.url("/form") });
  run.tree.record();
  run.client.signal("SIGKILL");
  await run.tree.assertNothingLeft({ withinMs: ORPHAN_ENDS_WITHIN_MS });
});

Deno.test("upstream closes its browser and exits with 0 at the end of its input", async () => {
  await using site = new LoopbackSite();
  await using run = await UpstreamRun.start();
  await run.call("browser_navigate", { url: site.url("/form") });
  run.tree.record();
  await run.client.closeStdin();
  assert.equal((await run.client.exit(ORPHAN_ENDS_WITHIN_MS)).code, 0);
  await run.tree.assertNothingLeft({ withinMs: 1_000 });
});

Deno.test("upstream keeps temporary files in the private directory, and the output of tools out of it", async () => {
  await using site = new LoopbackSite();
  await using run = await UpstreamRun.start({ args: ["--isolated", "--output-dir", "out"] });
  await run.call("browser_navigate", { url: site.url("/form") });
  await run.call("browser_take_screenshot");
  const entries = run.folder.temporaryEntries();
  assert.deepEqual(entries.filter((path) => !/^private(\/t(\/|$)|$)/.test(path)), []);
  assert.ok(entries.some((path) => path.includes("playwright_chromiumdev_profile-")), entries.join("\n"));
  assert.ok(entries.some((path) => path.includes("org.chromium.Chromium.")), entries.join("\n"));
  assert.notDeepEqual(await namesIn(`${run.folder.work}/out`), []);
});

Deno.test("upstream drives a browser that is reached over CDP", async () => {
  await using site = new LoopbackSite();
  using folder = new BrowserFolder();
  await using browser = await StandaloneBrowser.start(`${folder.path}/profile`);
  await using run = await UpstreamRun.start({ args: ["--cdp-endpoint", browser.endpoint] });
  const { text } = await run.call("browser_navigate", { url: site.url("/form") });
  assert.match(text, /Page URL: .*\/form/);
});

Deno.test("upstream install-browser downloads and unpacks", async () => {
  const served: string[] = [];
  const archive = Uint8Array.fromBase64(ZIP_WITH_FFMPEG);
  await using host = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    served.push(new URL(request.url).pathname);
    return new Response(archive, { headers: { "content-length": String(archive.length) } });
  });
  using folder = new BrowserFolder();
  const { command, args } = bridgeCommand();
  const { code, stderr } = await new Deno.Command(command, {
    args: [...args, "upstream", "install-browser", "ffmpeg"],
    env: {
      ...inheritedEnvironment(),
      HOME: folder.home,
      TMPDIR: folder.temporary,
      PLAYWRIGHT_BROWSERS_PATH: `${folder.path}/browsers`,
      PLAYWRIGHT_DOWNLOAD_HOST: `http://127.0.0.1:${host.addr.port}`,
    },
    clearEnv: true,
    stdin: "null",
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.equal(served.length, 1);
  const installed = (await namesIn(`${folder.path}/browsers`)).find((name) => name.startsWith("ffmpeg-"));
  const content = await Deno.readTextFile(`${folder.path}/browsers/${installed}/ffmpeg-linux`);
  assert.equal(content, "stand-in\n");
});

function namesIn(directory: string): Promise<string[]> {
  return Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
}

/** A zip archive of one file, `ffmpeg-linux`, that says "stand-in". */
const ZIP_WITH_FFMPEG =
  "UEsDBBQAAAAAAAAAIVxZpEV6CQAAAAkAAAAMAAAAZmZtcGVnLWxpbnV4c3RhbmQtaW4KUEsBAhQDFAAAAAAAAAAhXFmkRXoJAAAACQAAAAwAAAAAAAAAAAAAAIABAAAAAGZmbXBlZy1saW51eFBLBQYAAAAAAQABADoAAAAzAAAAAAA=";
