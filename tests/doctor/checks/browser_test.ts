import assert from "node:assert/strict";
import { BROWSER_CHECK } from "../../../src/doctor/checks/browser.ts";
import { AppError } from "../../../src/errors.ts";
import { doctorWorld, elfHeader, Place, programs, runCheck, told, type WorldOptions } from "../test_world.ts";

type Result = Awaited<ReturnType<typeof runCheck>>;

async function look(options: WorldOptions): Promise<Result> {
  return await runCheck(BROWSER_CHECK, await doctorWorld(options));
}

/** The one finding about a browser that is a shell script. */
async function lookAtScript(script: string): Promise<Result["findings"][number] | undefined> {
  using place = new Place();
  const executablePath = place.write("chrome", script, 0o755);
  return (await look({ subject: { executablePath } })).findings[0];
}

Deno.test("browser check: tells the version of one that starts, and why it is this one", async () => {
  using place = new Place();
  const executablePath = place.write("chrome", "#!/bin/sh\necho Chromium 146.0.7680.177\n", 0o755);
  const result = await look({ subject: { executablePath, note: "Named by a flag" } });
  assert.deepEqual(told(result), [
    "ok: Named by a flag",
    `ok: Chromium 146.0.7680.177 at "${executablePath}"`,
  ]);
  assert.equal(result.details?.["version"], "Chromium 146.0.7680.177");
  assert.deepEqual(place.entries(), ["chrome"]);
});

Deno.test("browser check: names what is wrong with the file", async () => {
  using place = new Place();
  const foreign = Deno.build.arch === "x86_64" ? 183 : 62;
  const cases: [path: string, expected: RegExp][] = [
    [place.path, /it is a directory$/],
    [`${place.path}/missing`, /it does not exist$/],
    [place.write("plain", "#!/bin/sh\n"), /it is not executable$/],
    [`${place.path}/plain/chrome`, /a part of its path is no directory$/],
    [place.write("foreign", elfHeader(foreign), 0o755), /it is built for .*, and this machine is /],
    [place.write("text", "neither fish nor fowl\n", 0o755), /it is neither a program of Linux nor a script$/],
    ["/dev/null", /it is no regular file$/],
  ];
  for (const [executablePath, expected] of cases) {
    const { findings } = await look({ subject: { executablePath } });
    assert.equal(findings.length, 1);
    assert.equal(findings[0]?.status, "error");
    assert.match(findings[0]?.message ?? "", expected);
    assert.ok(findings[0]?.message.includes(executablePath) && findings[0]?.remedy);
  }
});

Deno.test("browser check: half a program does not pass", async () => {
  using place = new Place();
  const executablePath = place.write("chrome", elfHeader(Deno.build.arch === "x86_64" ? 62 : 183), 0o755);
  assert.match(
    told(await look({ subject: { executablePath } })).join(),
    /^error: The browser ".*" (cannot be started|ended)/,
  );
});

Deno.test("browser check: a script whose interpreter is missing says that something is missing", async () => {
  const finding = await lookAtScript("#!/nowhere/at/all\n");
  assert.equal(finding?.status, "error");
  assert.match(finding?.message ?? "", /loader that its first bytes name is not on this system/);
});

Deno.test("browser check: shows the last lines of one that ends at once", async () => {
  const script = "#!/bin/sh\nfor n in 1 2 3 4 5 6 7; do echo line $n >&2; done\nexit 3\n";
  const finding = await lookAtScript(script);
  assert.equal(finding?.status, "error");
  assert.match(
    finding?.message ?? "",
    /ended with exit code 3 when asked for its version:\nline 3\n.*\nline 7$/s,
  );
});

Deno.test("browser check: names the package of a library that the loader misses", async () => {
  const finding = await lookAtScript(
    '#!/bin/sh\necho "$0: error while loading shared libraries: libnss3.so: cannot open shared object file" >&2\nexit 127\n',
  );
  assert.match(finding?.message ?? "", /libnss3\.so/);
  assert.match(finding?.remedy ?? "", /\blibnss3\b/);
});

Deno.test("browser check: does not wait for one that hangs, and warns of one without version", async () => {
  using place = new Place();
  const executablePath = place.write("chrome", "#!/bin/sh\n", 0o755);
  const run = programs({ [executablePath]: { kind: "timed_out", stderr: "thinking\n" } });
  const hanging = await look({ subject: { executablePath }, run });
  assert.deepEqual(told(hanging), [
    `error: The browser "${executablePath}" did not answer --version within 10 s:\nthinking`,
  ]);
  assert.match(
    told(await look({ subject: { executablePath } }))[0] ?? "",
    /^warning: .* starts but tells no version$/,
  );
});

Deno.test("browser check: a CloakBrowser that is not here yet is no fault, unless there is none", async () => {
  const cloakbrowser = {
    version: "146.0.1",
    bundledVersion: "146.0.1",
    platform: "linux-x64",
    tier: "free",
    binaryPath: "/nowhere/chrome",
    installed: false,
    cacheDir: "/nowhere",
    downloadUrl: "https://example.com",
  } as const;
  const missing = await look({ subject: { source: "cloakbrowser", cloakbrowser } });
  assert.deepEqual(told(missing), [
    "warning: CloakBrowser 146.0.1 is not here yet; the first browser call downloads it",
  ]);
  assert.match(missing.findings[0]?.remedy ?? "", /cloakbrowser-mcp install/);
  const none = await look({ subject: { source: "cloakbrowser", note: "There is none here" } });
  assert.deepEqual(told(none), ["error: There is none here"]);
});

Deno.test("browser check: does not judge browsers of others, and passes on why none can be found", async () => {
  const subject = { executablePath: undefined, notOurs: "somebody else has it" };
  assert.deepEqual(told(await look({ subject })), ["skipped: Not applicable: somebody else has it"]);
  assert.match(told(await look({ subject: { executablePath: undefined } }))[0] ?? "", /^skipped: .*--deep/);
  await assert.rejects(look({ subject: new AppError("usage", "Cannot use firefox") }), /Cannot use firefox/);
});

Deno.test("browser check: another program is no Chromium", async () => {
  const finding = await lookAtScript("#!/bin/sh\necho 'ls (GNU coreutils) 9.1'\n");
  assert.equal(finding?.status, "error");
  assert.match(finding?.message ?? "", /is no Chromium: it says "ls \(GNU coreutils\) 9\.1"/);
});

Deno.test("browser check: another upstream has to be a program that is there", async () => {
  const subject = { executablePath: undefined, notOurs: "it has its own" };
  for (const program of ["sh", "/bin/sh"]) {
    const there = await look({ subject, flags: [`--upstream-command=["${program}","-c",""]`] });
    assert.deepEqual(told(there), ["skipped: Not applicable: it has its own"]);
  }
  for (const program of ["no-such-program", "/bin/no-such-program", "./nope; true"]) {
    const [, gone] = told(await look({ subject, flags: [`--upstream-command=["${program}"]`] }));
    assert.equal(gone, `error: The upstream "${program}" cannot be started: there is no such program`);
  }
});

Deno.test("browser check: knocks at a browser that runs already", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const endpoint = `http://joe:secret@127.0.0.1:${listener.addr.port}`;
  const options = {
    flags: [`--cdp-endpoint=${endpoint}`],
    subject: { executablePath: undefined, attaches: true, notOurs: "it runs" },
  };
  assert.deepEqual(told(await look(options)), [
    `ok: Something listens at http://127.0.0.1:${listener.addr.port}`,
  ]);
  listener.close();
  const [finding] = (await look(options)).findings;
  assert.equal(finding?.status, "error");
  assert.match(finding?.message ?? "", /127\.0\.0\.1:\d+ cannot be reached: nothing listens there$/);
  assert.doesNotMatch(JSON.stringify(finding), /secret/);
});
