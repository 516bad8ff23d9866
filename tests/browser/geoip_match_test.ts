import assert from "node:assert/strict";
import type { BuiltLaunch } from "../../src/browser/browser_plan.ts";
import { createPlaceMatch } from "../../src/browser/geoip_match.ts";
import type { BuildLaunch, LaunchRequest } from "../../src/browser/launch_builder.ts";
import { AppError } from "../../src/errors.ts";

const REQUEST: LaunchRequest = {
  headless: true,
  args: [],
  proxy: undefined,
  extensionPaths: [],
  fixedViewport: true,
  version: undefined,
};
const PLACED: BuiltLaunch = {
  args: ["--fingerprint-timezone=Europe/Berlin", "--fingerprint-webrtc-ip=81.2.69.160"],
  holdsProxy: false,
};

/** Something that takes connections, as a proxy would. */
async function withProxy(run: (host: string) => Promise<void>): Promise<void> {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = (async (): Promise<void> => {
    for await (const connection of listener) connection.close();
  })();
  await run(`127.0.0.1:${listener.addr.port}`);
  listener.close();
  await accepting;
}

async function refusal(build: BuildLaunch, server: string, args: string[] = []): Promise<string> {
  const match = createPlaceMatch(build, 50);
  try {
    await match({ ...REQUEST, args, proxy: { server, username: "ann", password: "secret" } });
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "browser_unavailable", String(error));
    assert.doesNotMatch(error.describe(), /secret/);
    return error.message;
  }
  throw new assert.AssertionError({ message: "it was matched" });
}

Deno.test("createPlaceMatch() looks through an entrance to an HTTP proxy and through a SOCKS proxy itself", () =>
  withProxy(async (host) => {
    const seen: LaunchRequest[] = [];
    const match = createPlaceMatch((request) => {
      seen.push(request);
      return Promise.resolve(PLACED);
    });
    for (const scheme of ["http", "socks5"]) {
      const proxy = { server: `${scheme}://${host}`, username: "ann", password: "pw" };
      assert.deepEqual(await match({ ...REQUEST, proxy }), PLACED);
    }
    const [http, socks] = seen.map(({ lookThrough }) => lookThrough);
    assert.match(http?.server ?? "", /^socks5h:\/\/127\.0\.0\.1:/);
    assert.notEqual(http?.server, `socks5h://${host}`);
    assert.notEqual(http?.password, "pw");
    assert.deepEqual(socks, { server: `socks5h://${host}`, username: "ann", password: "pw" });
  }));

Deno.test("createPlaceMatch() gives a reason why there is no place", () =>
  withProxy(async (host) => {
    const http = `http://${host}`;
    const never = Promise.withResolvers<BuiltLaunch>();
    const cases: readonly (readonly [build: BuildLaunch, reason: RegExp])[] = [
      [() => never.promise, /nobody outside tells/],
      [() => Promise.resolve({ args: [], holdsProxy: false }), /nobody outside tells/],
      [
        () => Promise.resolve({ args: ["--fingerprint-webrtc-ip=127.0.0.1"], holdsProxy: false }),
        /nobody outside tells/,
      ],
      [() => Promise.reject(new Error("GeoIP database is unavailable")), /there is no GeoIP database/],
      [() => Promise.reject(new Error("could not determine timezone")), /knows no time zone or language/],
      [() => Promise.reject(new Error("something else")), /": something else\. No browser was started$/],
    ];
    for (const [build, reason] of cases) assert.match(await refusal(build, http), reason);
    assert.match(await refusal(() => Promise.resolve(PLACED), `socks4://${host}`), /SOCKS 4/);
  }));

Deno.test("createPlaceMatch() takes the WebRTC address that the user has named", () =>
  withProxy(async (host) => {
    const built = { args: ["--lang=de-DE"], holdsProxy: false };
    const match = createPlaceMatch(() => Promise.resolve(built));
    const args = ["--fingerprint-webrtc-ip=1.2.3.4"];
    assert.deepEqual(await match({ ...REQUEST, args, proxy: { server: `http://${host}` } }), built);
  }));

Deno.test("createPlaceMatch() asks nobody where the proxy does not answer", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  let asked = 0;
  const build: BuildLaunch = () => {
    asked++;
    return Promise.resolve(PLACED);
  };
  assert.match(await refusal(build, `http://127.0.0.1:${listener.addr.port}`), /the proxy does not answer/);
  assert.equal(asked, 0);
});
