import assert from "node:assert/strict";
import { locateDevTools, parseActivePort, profilesOf } from "../../src/cdp/locate_devtools.ts";

const line = (...args: string[]): string => `${args.join("\x1f")}\x1f\x1e`;

Deno.test("profilesOf() takes browsers that choose their port, not their helpers", () => {
  const lines = [
    line("/usr/bin/chromium", "--remote-debugging-port=0", "--user-data-dir=/p/one two", "about:blank"),
    line("/usr/bin/chromium", "--type=renderer", "--remote-debugging-port=0", "--user-data-dir=/p/renderer"),
    line("/usr/bin/chromium", "--user-data-dir=/p/without"),
    line("/usr/bin/chromium", "--remote-debugging-port=9222", "--user-data-dir=/p/fixed"),
    line(
      "/usr/bin/chromium",
      "--user-data-dir=/p/first",
      "--user-data-dir=/p/last",
      "--remote-debugging-port=0",
    ),
    line("sh", "-c", "sleep"),
  ].join("");
  assert.deepEqual(profilesOf(lines), ["/p/one two", "/p/last"]);
  assert.deepEqual(profilesOf(""), []);
});

Deno.test("parseActivePort() reads what Chromium writes and nothing else", () => {
  assert.deepEqual(parseActivePort("9222\n/devtools/browser/0af1-22\n"), {
    port: 9222,
    url: "ws://127.0.0.1:9222/devtools/browser/0af1-22",
  });
  for (
    const text of [
      "",
      "9222",
      "9222\n",
      "0\n/devtools/browser/a",
      "70000\n/devtools/browser/a",
      "9222\n/devtools/page/a",
      "9222\n/devtools/browser/a/../b",
      "9222\n@evil.example/devtools/browser/a",
    ]
  ) assert.equal(parseActivePort(text), undefined, JSON.stringify(text));
});

Deno.test("locateDevTools() finds nothing below a process without a browser", async () => {
  assert.equal(await locateDevTools(Deno.pid), undefined);
});
