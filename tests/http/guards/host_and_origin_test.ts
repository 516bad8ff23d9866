import assert from "node:assert/strict";
import { createHostGuard } from "../../../src/http/guards/host.ts";
import { createOriginGuard } from "../../../src/http/guards/origin.ts";
import { answer } from "../requests.ts";

const PORT = 3000;

/** Status by `Host`. */
const HOSTS: readonly (readonly [hosts: readonly string[], status: number])[] = [
  [[`127.0.0.1:${PORT}`], 200],
  [[`localhost:${PORT}`], 200],
  [[`[::1]:${PORT}`], 200],
  [[`LOCALHOST:${PORT}`], 200],
  [["127.0.0.1"], 200],
  [["localhost"], 200],
  [[`evil.example:${PORT}`], 403],
  [["localhost.evil.example"], 403],
  [[`127.0.0.1:${PORT}.evil`], 400],
  [[`evil.localhost:${PORT}`], 403],
  [[`localhost:${PORT}`, `evil.example:${PORT}`], 400],
];

const ORIGINS: readonly (readonly [origin: string | undefined, status: number])[] = [
  [undefined, 200],
  [`http://localhost:${PORT}`, 200],
  [`http://127.0.0.1:${PORT}`, 200],
  ["null", 403],
  ["http://evil.example", 403],
  ["http://localhost.evil", 403],
];

Deno.test("the guards of host and origin decide as case http-4 says", async () => {
  const host = createHostGuard({ allowedHosts: [], httpHost: "127.0.0.1", tls: false });
  const origin = createOriginGuard({ allowedOrigins: [], tls: false });
  for (const [hosts, hostStatus] of HOSTS) {
    for (const [name, originStatus] of ORIGINS) {
      const headers = new Headers(hosts.map((value): [string, string] => ["host", value]));
      if (name !== undefined) headers.set("origin", name);
      const request = new Request(`http://localhost:${PORT}/mcp`, { method: "POST", headers, body: "{}" });
      const first = host(request);
      const response = answer(first.ok ? origin(request) : first);
      const expected = hostStatus === 200 ? originStatus : hostStatus;
      assert.equal(response.status, expected, `${hosts} ${name}`);
      if (expected === 403) {
        assert.match((await response.json()).error.message, /--allowed-(host|origin)/);
      }
    }
  }
});
