import assert from "node:assert/strict";
import { encodeMessage } from "../../src/bridge/client_port.ts";
import { explainLaunchFailure, launchFailureText } from "../../src/bridge/launch_failure.ts";

const NONE = (): Promise<readonly string[]> => Promise.resolve([]);

/** As upstream reports a browser that exits at once. */
function report(lines: readonly string[], exit = "exitCode=127, signal=null"): string {
  const said = lines.map((line) => `[pid=7][err] ${line}`).join("\n");
  const log = `<launching> /opt/a browser/chrome --headless --type=x\n<launched> pid=7\n${said}`;
  const call = [log, `[pid=7] <process did exit: ${exit}>`].join("\n").split("\n").map((line) =>
    `\x1b[2m  - ${line}\x1b[22m`
  ).join("\n");
  return `### Error\nError: launch: Target page, context or browser has been closed\n` +
    `Browser logs:\n\n${log}\nCall log:\n${call}\n`;
}

Deno.test("launchFailureText() names the executable, how it ended, what it said, and what to do", async () => {
  const text = await launchFailureText(
    report(["first", "chrome: error while loading shared libraries: libnss3.so: no"]),
    NONE,
  );
  assert.equal(
    text,
    '### Error\nThe browser "/opt/a browser/chrome" did not start: it exited with status 127. The library libnss3.so ' +
      "is missing; `cloakbrowser-mcp doctor` names the packages to install. The next browser call tries again\n\n" +
      "Its last output:\nfirst\nchrome: error while loading shared libraries: libnss3.so: no",
  );
});

Deno.test("launchFailureText() knows the usual reasons, and has a word for the others", async () => {
  const remedies: readonly (readonly [line: string, remedy: RegExp])[] = [
    ["[1:1:FATAL] No usable sandbox! Update your kernel", /sandbox cannot be used here/],
    ["Missing X server or $DISPLAY", /--virtual-display always/],
    ["/opt/chrome: 1: Exec format error", /not for this kind of machine/],
    ["something else", /`cloakbrowser-mcp doctor` says/],
  ];
  for (const [line, remedy] of remedies) {
    assert.match(await launchFailureText(report([line]), NONE) ?? "", remedy, line);
  }
  assert.match(
    await launchFailureText(report([], "exitCode=null, signal=SIGSEGV"), NONE) ?? "",
    /was ended by SIGSEGV\. /,
  );
});

Deno.test("launchFailureText() repeats no more than the last lines", async () => {
  const lines = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  const text = await launchFailureText(report(lines), NONE) ?? "";
  assert.ok(text.includes("line 40\n") && text.endsWith("line 49"));
  assert.ok(!text.includes("line 39\n"));
});

Deno.test("explainLaunchFailure() leaves every other answer as it is", async () => {
  const answer = (text: string, isError: boolean): Uint8Array =>
    encodeMessage({ jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }], isError } });
  const failure = report(["broken"]);
  for (
    const bytes of [answer("fine", true), answer(failure, false), answer("<launching> a page said", true)]
  ) {
    assert.equal(await explainLaunchFailure(bytes, NONE), bytes);
  }
  const huge = answer(failure + "x".repeat(300_000), true);
  assert.equal(await explainLaunchFailure(huge, NONE), huge);
  const { result, id } = JSON.parse(
    new TextDecoder().decode(await explainLaunchFailure(answer(failure, true), NONE)),
  );
  assert.deepEqual([id, result.isError], [1, true]);
  assert.match(result.content[0].text, /^### Error\nThe browser .* did not start/);
});

Deno.test("launchFailureText() names the libraries that upstream keeps to itself", async () => {
  const text =
    "### Error\nError: Missing system dependencies required to run browser chromium. Install them with: x";
  const said: readonly (readonly [names: readonly string[], words: RegExp])[] = [
    [[], /A shared library that it needs is missing; `cloakbrowser-mcp doctor`/],
    [["libnss3.so"], /The library libnss3\.so is missing/],
    [["libgbm.so.1", "libnss3.so"], /The libraries libgbm\.so\.1, libnss3\.so are missing/],
  ];
  for (const [names, words] of said) {
    const answer = await launchFailureText(text, () => Promise.resolve(names)) ?? "";
    assert.match(answer, words);
    assert.doesNotMatch(answer, /Install them with/);
  }
  assert.equal(await launchFailureText(`a page says: ${text}`, NONE), undefined);
});
