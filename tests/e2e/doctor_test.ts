/** The doctor on a real machine with a real browser. */
import assert from "node:assert/strict";
import { schemaViolations } from "../harness/schema_violations.ts";
import { HttpRun } from "../harness/http_run.ts";
import { until } from "../harness/until.ts";
import { elfHeader, Place } from "../doctor/test_world.ts";
import { BrowserRun } from "./browser_run.ts";
import { diagnose, messages, runDoctor } from "./doctor_run.ts";

const SCHEMA = JSON.parse(await Deno.readTextFile(new URL("../../docs/doctor.schema.json", import.meta.url)));

const CHECKS = [
  ...["executable", "settings", "browser", "libraries", "fonts", "sandbox", "shared-memory", "profile"],
  ...["directories", "display", "http", "cdp", "proxy", "licence"],
];

/** A browser that writes to standard error and ends, or whatever else a script can do. */
function fakeBrowser(place: Place, script: string): string {
  return place.write("chrome", `#!/bin/sh\n${script}\n`, 0o755);
}

Deno.test("doctor finds nothing wrong with a machine that browses, and prints what its schema says", async () => {
  const { report, check } = await diagnose();
  assert.deepEqual(schemaViolations(SCHEMA, report), []);
  assert.deepEqual(report.checks.map(({ name }) => name), CHECKS);
  assert.deepEqual(report.checks.filter(({ status }) => status === "error"), []);
  assert.equal(report.deep, false);
  assert.match(String(check("browser").details["version"]), /Chrom/);
  assert.equal(messages(check("libraries")), "ok: All are there");
  for (const { findings } of report.checks) {
    for (const { status, remedy } of findings) {
      assert.equal(remedy !== undefined, status === "warning" || status === "error");
    }
  }
});

Deno.test("doctor prints text without escape sequences into a pipe, in a second or so", async () => {
  const startedAt = performance.now();
  const { code, stdout, stderr } = await runDoctor();
  assert.ok(performance.now() - startedAt < 15_000);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(!stdout.includes("\x1b"));
  assert.match(stdout, /^ok {7}executable {5}cloakbrowser-mcp \d/);
  assert.match(stdout, /\n\n(ok: nothing is wrong|warning: \d+ warnings?)\n$/);
});

Deno.test("doctor colours its text on a terminal, unless NO_COLOR says otherwise", async () => {
  const terminal = async (env: Record<string, string>): Promise<string> => {
    // `script` of util-linux gives a command a terminal.
    const through = ["sh", "-c", 'script -qec "$*" /dev/null', "sh"];
    const { code, stdout } = await runDoctor({ through, env: { TERM: "xterm", ...env } });
    assert.equal(code, 0, stdout);
    return stdout;
  };
  assert.ok((await terminal({})).includes("\x1b[32mok\x1b[0m"));
  assert.ok(!(await terminal({ NO_COLOR: "1" })).includes("\x1b[32m"));
  assert.ok(!(await terminal({ TERM: "dumb" })).includes("\x1b[32m"));
});

Deno.test("doctor --deep launches the browser, opens a page, takes a picture and tells the time of each step", async () => {
  const { report, check } = await diagnose({ args: ["--deep", "--humanize"] });
  assert.deepEqual(schemaViolations(SCHEMA, report), []);
  assert.deepEqual(report.checks.map(({ name }) => name), [...CHECKS, "deep"]);
  const { status, details, findings } = check("deep");
  assert.equal(status, "ok", messages(check("deep")));
  const steps = details["steps"] as { name: string; ms: number }[];
  assert.deepEqual(steps.map(({ name }) => name), [
    "initialize",
    "tools/list",
    "browser_navigate",
    "browser_take_screenshot",
    "browser_close",
    "end",
  ]);
  assert.ok(steps.every(({ ms }) => Number.isInteger(ms) && ms >= 0));
  assert.equal(findings.length, steps.length + 2);
  assert.equal(report.deep, true);
  const told = findings.map(({ message }) => message);
  assert.ok(told.includes("Humanized input is active"), told.join("\n"));
  assert.ok(
    told.some((message) => message.startsWith("The console fallback is not active: the browser reports")),
  );
});

Deno.test("doctor --deep warns of what has switched itself off in a Playwright that has changed", async () => {
  using place = new Place();
  const change = place.write(
    "change.js",
    "module.exports = { default: ({ page }) => { page.mouse.wheel = undefined; } };",
  );
  const { check } = await diagnose({ args: ["--deep", "--humanize", "--init-page", change] });
  assert.equal(check("deep").status, "warning", messages(check("deep")));
  assert.match(messages(check("deep")), /Humanized input has switched itself off: .* no page\.mouse\.wheel/);
});

Deno.test("doctor --deep obeys the settings of a start, but for its files", async () => {
  using place = new Place();
  const profile = `${place.path}/profile`;
  const output = `${place.path}/output`;
  const args = ["--deep", "--user-data-dir", profile, "--output-dir", output, "--image-responses", "omit"];
  const { check } = await diagnose({ args: [...args, "--allowed-origins", "https://example.com"] });
  assert.equal(check("deep").status, "ok", messages(check("deep")));
  assert.deepEqual(place.entries(), [], "neither profile nor output was touched");
  const isolated = await diagnose({ args: ["--deep", "--isolated", "--browser-engine", "auto"] });
  assert.equal(isolated.check("deep").status, "ok", messages(isolated.check("deep")));
});

Deno.test("doctor shows the last words of a browser that ends at once, and --deep those of its launch", async () => {
  using place = new Place();
  const browser = fakeBrowser(
    place,
    '[ "$1" = --version ] && echo Chromium 1.2.3.4 && exit\necho "no such luck" >&2\nexit 7',
  );
  const { code, check } = await diagnose({ browser, args: ["--deep"] });
  assert.equal(code, 6);
  assert.equal(check("browser").status, "ok");
  assert.match(messages(check("deep")), /error: browser_navigate failed: (.|\n)*no such luck/);
  const broken = await diagnose({ browser: fakeBrowser(place, 'echo "no such luck" >&2\nexit 7') });
  assert.match(messages(broken.check("browser")), /error: .* ended with exit code 7 .*:\nno such luck$/);
});

Deno.test("doctor --deep that is interrupted leaves nothing behind of a browser that hangs", async () => {
  using place = new Place();
  const pids = `${place.path}/pids`;
  const browser = fakeBrowser(
    place,
    `[ "$1" = --version ] && echo Chromium 1.2.3.4 && exit\necho $$ >${pids}\nexec sleep 600`,
  );
  const { code, stdout } = await runDoctor({
    browser,
    args: ["--deep"],
    async onStart(child, tree): Promise<void> {
      await until("the browser is launched", () => {
        tree.record();
        return place.entries().includes("pids");
      }, 30_000);
      child.kill("SIGINT");
    },
  });
  assert.deepEqual([code, stdout], [130, ""]);
});

Deno.test("doctor ends with 6 for a browser that cannot run", async () => {
  using place = new Place();
  const foreign = place.write("foreign", elfHeader(Deno.build.arch === "x86_64" ? 183 : 62), 0o755);
  const cases: [browser: string, expected: RegExp][] = [
    [place.path, /it is a directory/],
    [`${place.path}/missing`, /it does not exist/],
    [place.write("plain", "#!/bin/sh\n"), /it is not executable/],
    [foreign, /it is built for/],
  ];
  for (const [browser, expected] of cases) {
    const { code, check } = await diagnose({ browser });
    assert.equal(code, 6);
    assert.match(messages(check("browser")), expected);
  }
});

Deno.test("doctor names the libraries that a real program misses", async () => {
  using place = new Place();
  // The same program, asking for a library of another name and the same length.
  const bytes = await Deno.readFile("/bin/sleep");
  const text = new TextDecoder("latin1").decode(bytes);
  const at = text.indexOf("libc.so.6");
  assert.notEqual(at, -1);
  bytes.set(new TextEncoder().encode("libq.so.6"), at);
  const { code, check } = await diagnose({ browser: place.write("chrome", bytes, 0o755) });
  assert.equal(code, 6);
  assert.match(messages(check("browser")), /ended with exit code 127 .*:\n.*libq\.so\.6/);
  assert.match(
    messages(check("libraries")),
    /^error: ".*" needs what this system does not have: libq\.so\.6$/m,
  );
  assert.deepEqual(check("libraries").details["missing"], ["libq.so.6"]);
  assert.match(check("libraries").findings[0]?.remedy ?? "", /libq\.so\.6/);
});

Deno.test("doctor never downloads: without a browser --deep says so", async () => {
  const { code, check } = await diagnose({ browser: null, args: ["--deep"] });
  assert.equal(code, 6);
  assert.match(messages(check("browser")), /^warning: CloakBrowser .* is not here yet/);
  assert.match(
    messages(check("deep")),
    /^error: There is no browser to launch, and the doctor downloads none$/,
  );
  assert.equal((await diagnose({ browser: null })).code, 0);
});

Deno.test("doctor reports what is wrong with the settings beside everything else", async () => {
  const { code, report, check } = await diagnose({
    args: ["--http-port", "high", "--config", "/nowhere/config.json"],
    env: { CLOAK_PLAYWRIGHT_MCP_LOG_FORMAT: "poem" },
  });
  assert.equal(code, 6);
  const told = messages(check("settings"));
  assert.match(told, /error: .*"high" for --http-port/);
  assert.match(told, /error: .*"poem" for CLOAK_PLAYWRIGHT_MCP_LOG_FORMAT/);
  assert.match(told, /error: .*\/nowhere\/config\.json/);
  assert.equal(check("browser").status, "ok");
  assert.equal(report.checks.length, CHECKS.length);
});

Deno.test("doctor finds a port that is taken, and a server of this kind on it", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { code, check } = await diagnose({ args: ["--port", String(listener.addr.port)] });
    assert.equal(code, 6);
    assert.match(
      messages(check("http")),
      /^error: Cannot listen on "127\.0\.0\.1:\d+": another program listens there$/,
    );
  } finally {
    listener.close();
  }
  await using server = await HttpRun.start();
  const { code, check } = await diagnose({ args: ["--port", new URL(server.url).port] });
  assert.equal(code, 0);
  assert.match(messages(check("http")), /^warning: A server of this kind \(.*\) listens on/);
});

Deno.test("doctor names the server that has the profile, and does not disturb it", async () => {
  await using run = await BrowserRun.start({ args: ["--user-data-dir", "profile"] });
  await run.navigate("about:blank");
  const profile = `${run.folder.work}/profile`;
  const { code, check } = await diagnose({ args: ["--user-data-dir", profile] });
  assert.equal(code, 6);
  assert.match(
    messages(check("profile")),
    new RegExp(`^error: .* in use by process ${run.client.pid} \\(session stdio\\)`),
  );
  await run.navigate("about:blank");
});

Deno.test("doctor refuses an output directory below a file", async () => {
  const { code, check } = await diagnose({ args: ["--output-dir", "/etc/hostname/out"] });
  assert.equal(code, 6);
  assert.match(messages(check("directories")), /^error: Screenshots and downloads find no place: /);
});

Deno.test("doctor shows no secrets", async () => {
  const port = 9;
  const { stdout, stderr } = await runDoctor({
    args: ["--proxy-server", `http://joe:pa55word@127.0.0.1:${port}`, "--json", "--port", "0"],
    env: {
      CLOAKBROWSER_LICENSE_KEY: "cb_4711_hidden",
      HTTPS_PROXY: `http://joe:pa55word@127.0.0.1:${port}`,
      CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: "0123456789abcdef-token",
    },
  });
  assert.match(stdout, /127\.0\.0\.1:9/);
  assert.doesNotMatch(stdout + stderr, /pa55word|joe|cb_4711|abcdef-token/);
});

Deno.test("doctor asks a real display", async () => {
  const xvfb = new Deno.Command("Xvfb", {
    args: ["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "640x480x24"],
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  try {
    const reader = xvfb.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    const display = `:${new TextDecoder().decode(value).trim()}`;
    const headed = { args: ["--no-headless", "--deep"], env: { DISPLAY: display } };
    const { check } = await diagnose(headed);
    assert.equal(messages(check("display")), `ok: The display "${display}" answers`);
    assert.equal(check("deep").status, "ok", messages(check("deep")));
  } finally {
    xvfb.kill("SIGTERM");
    await xvfb.status;
    await xvfb.stdout.cancel();
  }
});

Deno.test("doctor --deep gives a browser with a window a virtual display, and ends that too", async () => {
  const { check } = await diagnose({ args: ["--no-headless", "--deep"] });
  assert.match(messages(check("display")), /^ok: The browser gets a virtual display: ".*Xvfb"$/);
  assert.equal(check("deep").status, "ok", messages(check("deep")));
});
