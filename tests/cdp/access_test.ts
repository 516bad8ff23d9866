import assert from "node:assert/strict";
import { baseUrl, type CdpAddress, createAccessGuard } from "../../src/cdp/access.ts";

function judge(address: CdpAddress, headers: Readonly<Record<string, string | readonly string[]>>): string {
  const map = new Map(
    Object.entries(headers).map(([name, value]) =>
      [name, typeof value === "string" ? [value] : value] as const
    ),
  );
  const head = { method: "GET", path: "/", query: undefined, headers: map, hasBody: false };
  const verdict = createAccessGuard(address)(head);
  return verdict.ok ? "passes" : `${verdict.code} ${verdict.about}`;
}

const LOCAL: CdpAddress = { scheme: "http", host: "127.0.0.1", port: 9300 };
const host = "127.0.0.1:9300";

Deno.test("createAccessGuard() lets the advertised host through, and no other", () => {
  assert.equal(judge(LOCAL, { host }), "passes");
  for (
    const other of [
      "127.0.0.1",
      "127.0.0.1:9301",
      "localhost:9300",
      "127.1:9300",
      "[::1]:9300",
      "evil.example:9300",
    ]
  ) {
    assert.equal(judge(LOCAL, { host: other }), "forbidden host", other);
  }
  for (
    const malformed of [
      "",
      "a b",
      "user@127.0.0.1:9300",
      "127.0.0.1:9300/x",
      "127.0.0.1:99999",
      "127.0.0.1:9300, b",
    ]
  ) {
    assert.equal(judge(LOCAL, { host: malformed }), "bad_request host", malformed);
  }
  assert.equal(judge({ scheme: "http", host: "Svc", port: 9300 }, { host: "sVC:9300" }), "passes");
  assert.equal(judge({ scheme: "http", host: "::1", port: 9300 }, { host: "[0:0::1]:9300" }), "passes");
});

Deno.test("createAccessGuard() counts a missing port as that of the scheme", () => {
  assert.equal(judge({ scheme: "https", host: "a.example", port: 443 }, { host: "a.example" }), "passes");
  assert.equal(
    judge({ scheme: "https", host: "a.example", port: 80 }, { host: "a.example" }),
    "forbidden host",
  );
  assert.equal(judge({ scheme: "http", host: "a.example", port: 80 }, { host: "a.example" }), "passes");
});

Deno.test("createAccessGuard() lets programs and own pages through, and no other page", () => {
  assert.equal(judge(LOCAL, { host, origin: "http://127.0.0.1:9300" }), "passes");
  assert.equal(judge(LOCAL, { host, origin: "https://127.0.0.1:9300" }), "passes");
  for (
    const other of [
      "http://127.0.0.1",
      "http://127.0.0.1:8080",
      "https://evil.example",
      "http://localhost:9300",
    ]
  ) {
    assert.equal(judge(LOCAL, { host, origin: other }), "forbidden origin", other);
  }
  const malformed = [
    "null",
    "",
    "127.0.0.1:9300",
    "http://127.0.0.1:9300/",
    "http://u@127.0.0.1:9300",
    "file://",
    "x:y",
  ];
  for (const origin of malformed) assert.equal(judge(LOCAL, { host, origin }), "bad_request origin", origin);
  const origin = "http://127.0.0.1:9300";
  assert.equal(judge(LOCAL, { host, origin: [origin, origin] }), "bad_request origin");
});

Deno.test("createAccessGuard() refuses what a foreign page asks for without saying who it is", () => {
  assert.equal(judge(LOCAL, { host, "sec-fetch-site": "cross-site" }), "forbidden origin");
  assert.equal(judge(LOCAL, { host, "sec-fetch-site": "same-site" }), "forbidden origin");
  assert.equal(judge(LOCAL, { host, "sec-fetch-site": "none" }), "passes");
  assert.equal(judge(LOCAL, { host, "sec-fetch-site": "same-origin" }), "passes");
});

Deno.test("baseUrl() writes every address with its port", () => {
  assert.equal(baseUrl(LOCAL), "http://127.0.0.1:9300");
  assert.equal(baseUrl({ scheme: "https", host: "::1", port: 443 }), "https://[::1]:443");
});
