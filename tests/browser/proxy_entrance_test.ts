import assert from "node:assert/strict";
import type { BrowserProxy } from "../../src/browser/browser_proxy.ts";
import { openProxyEntrance } from "../../src/browser/proxy_entrance.ts";
import { HttpProxy } from "../fixtures/http_proxy.ts";
import { LoopbackSite } from "../harness/loopback_site.ts";

const CREDENTIALS = { username: "ann", password: "very:secret" };
const PORT_80 = [0, 80];

/** What a client of SOCKS 5 gets from the host through the proxy, until the end: empty where it is not let through. */
async function textThrough(proxy: BrowserProxy, host: string): Promise<string> {
  const { username = "", password = "" } = proxy;
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: portOf(proxy) });
  const write = (...bytes: number[]): Promise<number> => connection.write(Uint8Array.from(bytes));
  const answer = new Uint8Array(10);
  await write(5, 1, 2);
  await connection.read(answer);
  await write(1, username.length, ...utf8(username), password.length, ...utf8(password));
  await connection.read(answer);
  if (answer[1] !== 0) return "";
  await write(5, 1, 0, 3, host.length, ...utf8(host), ...PORT_80);
  await connection.read(answer);
  if (answer[1] !== 0) return "";
  await write(...utf8(`GET /second HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
  return await new Response(connection.readable).text();
}

function portOf({ server }: BrowserProxy): number {
  return Number(new URL(server).port);
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("openProxyEntrance() leads to the proxy, and gives it name and password", async () => {
  await using site = new LoopbackSite({ "/second": "second page" });
  await using proxy = new HttpProxy({
    credentials: CREDENTIALS,
    route: (host) => host === "site.example" ? Number(new URL(site.origin).port) : undefined,
  });
  using entrance = openProxyEntrance({ server: `http://${proxy.host}`, ...CREDENTIALS });
  assert.match(await textThrough(entrance.proxy, "site.example"), /^HTTP\/1\.1 200 [\s\S]*second page$/);
  assert.deepEqual(proxy.passed, [{ method: "CONNECT", host: "site.example", username: "ann" }]);
  assert.equal(await textThrough(entrance.proxy, "refused.example"), "");
});

Deno.test("openProxyEntrance() is for nobody else, and for its time only", async () => {
  await using proxy = new HttpProxy({ route: () => undefined });
  const entrance = openProxyEntrance({ server: `http://${proxy.host}` });
  assert.equal(await textThrough({ ...entrance.proxy, password: "guessed" }, "site.example"), "");
  entrance[Symbol.dispose]();
  await assert.rejects(Deno.connect({ hostname: "127.0.0.1", port: portOf(entrance.proxy) }));
  assert.deepEqual(proxy.passed, []);
});
