import assert from "node:assert/strict";
import { parseProxyAddress } from "../../src/settings/proxy_address.ts";

Deno.test("parseProxyAddress() takes name and password out of the address, decoded", () => {
  const cases: readonly (readonly [text: string, value: unknown])[] = [
    ["http://proxy.example:3128", { server: "http://proxy.example:3128" }],
    ["proxy.example:3128", { server: "http://proxy.example:3128" }],
    [" HTTPS://Proxy.Example/ ", { server: "https://proxy.example" }],
    ["http://proxy.example:80", { server: "http://proxy.example:80" }],
    ["socks5h://10.0.0.1:1080", { server: "socks5h://10.0.0.1:1080" }],
    ["socks://10.0.0.1", { server: "socks5://10.0.0.1" }],
    ["socks4://[::1]:1080", { server: "socks4://[::1]:1080" }],
    ["ann:pw@proxy:1", { server: "http://proxy:1", username: "ann", password: "pw" }],
    ["http://ann@proxy", { server: "http://proxy", username: "ann" }],
    ["http://ann:@proxy", { server: "http://proxy", username: "ann", password: "" }],
    ["http://a%40b:p%3Aq%2F@proxy", { server: "http://proxy", username: "a@b", password: "p:q/" }],
    ["http://ann:a@b:c@proxy", { server: "http://proxy", username: "ann", password: "a@b:c" }],
    ["http://ann:a/b@proxy", { server: "http://proxy", username: "ann", password: "a/b" }],
    ["http://ann:100%@proxy", { server: "http://proxy", username: "ann", password: "100%" }],
    ["http://ann:%c3%bc%ff@proxy", { server: "http://proxy", username: "ann", password: "%c3%bc%ff" }],
    ["socks5://ann:%C3%BC@proxy:1", { server: "socks5://proxy:1", username: "ann", password: "ü" }],
  ];
  for (const [text, value] of cases) assert.deepEqual(parseProxyAddress(text), { ok: true, value }, text);
});

Deno.test("parseProxyAddress() refuses what is no address, without repeating it", () => {
  const cases: readonly (readonly [text: string, problem: RegExp])[] = [
    ["http://", /^must be the address of a proxy such as /],
    ["", /^must be the address of a proxy/],
    ["two words", /^must be the address of a proxy/],
    ["http://proxy:port", /^must be the address of a proxy/],
    ["http://proxy:99999", /^must be the address of a proxy/],
    ["http://proxy:3128/path", /^must be the address of a proxy/],
    ["ftp://proxy", /^must have one of the schemes http, https, socks4, socks5, socks5h$/],
    ["http=a:1;https=b:2", /^must be the address of a proxy/],
    ["socks4://ann:pw@proxy", /^must not have a name and password/],
    ["http://:secret@proxy", /^must have a name before the password$/],
  ];
  for (const [text, problem] of cases) {
    const verdict = parseProxyAddress(text);
    assert.ok(!verdict.ok, text);
    assert.match(verdict.problem, problem, text);
    assert.doesNotMatch(verdict.problem, /ann:|secret/, text);
  }
});
