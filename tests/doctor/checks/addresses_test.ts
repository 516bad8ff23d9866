/** Checks of what is listened on and connected to: HTTP, CDP, proxies. */
import assert from "node:assert/strict";
import { CDP_CHECK } from "../../../src/doctor/checks/cdp.ts";
import { HTTP_CHECK } from "../../../src/doctor/checks/http.ts";
import { PROXY_CHECK } from "../../../src/doctor/checks/proxy.ts";
import type { Check } from "../../../src/doctor/check.ts";
import { createCertificate } from "../../harness/certificates.ts";
import { DeafListener } from "../deaf_listener.ts";
import { doctorWorld, Place, runCheck, told, type WorldOptions } from "../test_world.ts";

async function look(check: Check, options: WorldOptions): Promise<string> {
  const result = await runCheck(check, await doctorWorld(options));
  for (const { status, remedy } of result.findings) {
    assert.equal(remedy !== undefined, status === "warning" || status === "error");
  }
  return told(result).join("\n");
}

function http(...flags: string[]): WorldOptions {
  return { flags: ["--transport=streamable-http", ...flags] };
}

/** A port that nobody listens on. */
function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}

Deno.test("http check: does not apply over stdio", async () => {
  assert.match(await look(HTTP_CHECK, {}), /^skipped: Not applicable/);
});

Deno.test("http check: a free port is free afterwards too", async () => {
  const port = freePort();
  assert.equal(await look(HTTP_CHECK, http(`--http-port=${port}`)), `ok: "127.0.0.1:${port}" is free`);
  Deno.listen({ hostname: "127.0.0.1", port }).close();
  assert.match(await look(HTTP_CHECK, http("--http-port=0")), /^ok: Any free port/);
});

Deno.test("http check: a port that another program has is an error", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen(): void {} },
    () => new Response("{}"),
  );
  const finding = await look(HTTP_CHECK, http(`--http-port=${server.addr.port}`));
  assert.equal(
    finding,
    `error: Cannot listen on "127.0.0.1:${server.addr.port}": another program listens there`,
  );
});

Deno.test("http check: a server of this kind that answers is a warning, whether or not it wants a token", async () => {
  for (
    const [status, body] of [[200, { transport: "streamable-http", version: "9.9.9" }], [401, {
      status: "unauthorized",
    }]] as const
  ) {
    const answer = (): Response => Response.json(body, { status });
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen(): void {} }, answer);
    assert.match(
      await look(HTTP_CHECK, http(`--http-port=${server.addr.port}`)),
      /^warning: A server of this kind \(.*\) listens on/,
    );
  }
});

Deno.test("http check: an address that is not this machine's is an error", async () => {
  const finding = await look(HTTP_CHECK, {
    ...http(),
    settings: { transport: "streamable-http", httpHost: "192.0.2.1" },
  });
  assert.match(finding, /^error: Cannot listen on "192\.0\.2\.1:\d+": /);
});

Deno.test("http check: sockets are free, stale, taken, or something else", async () => {
  using place = new Place();
  const path = `${place.path}/socket`;
  const options = http(`--http-socket=${path}`);
  assert.equal(await look(HTTP_CHECK, options), `ok: The socket "${path}" is free`);
  assert.deepEqual(place.entries(), []);
  {
    using _listener = Deno.listen({ transport: "unix", path });
    await Deno.rename(path, `${path}.kept`);
  }
  await Deno.rename(`${path}.kept`, path);
  assert.match(await look(HTTP_CHECK, options), /^ok: The socket ".*" was left behind/);
  assert.deepEqual(place.entries(), ["socket"], "a stale socket is the next start's to replace");
  await Deno.remove(path);
  {
    const server = Deno.serve({ path, onListen(): void {} }, () => new Response("hello"));
    assert.match(await look(HTTP_CHECK, options), /^error: .*another program listens there$/);
    await server.shutdown();
  }
  place.write("socket", "");
  assert.match(await look(HTTP_CHECK, options), /^error: .*another kind of file is there$/);
});

Deno.test("http check: judges the certificate", async () => {
  const port = freePort();
  using place = new Place();
  const { certPem, keyPem } = createCertificate("localhost");
  const flags = [`--http-port=${port}`, "--http-protocol=https"];
  const certificate = place.write("cert.pem", certPem);
  const good = http(...flags, `--https-cert=${certificate}`, `--https-key=${place.write("key.pem", keyPem)}`);
  assert.equal(
    await look(HTTP_CHECK, good),
    `ok: The certificate and its key can be used\nok: "127.0.0.1:${port}" is free`,
  );
  const bad = http(
    ...flags,
    `--https-cert=${certificate}`,
    `--https-key=${place.write("bad.pem", "no key")}`,
  );
  assert.match(await look(HTTP_CHECK, bad), /^error: .*bad\.pem.*\nok: "127\.0\.0\.1:\d+" is free$/);
});

Deno.test("cdp check: counts free ports, and tells when none or too few are left", async () => {
  assert.match(await look(CDP_CHECK, {}), /^skipped: Not applicable/);
  const listeners = [Deno.listen({ hostname: "127.0.0.1", port: 0 })];
  try {
    const port = listeners[0]?.addr.port ?? 0;
    const one = [`--cdp-enabled`, `--cdp-port-range=${port}`];
    assert.equal(
      await look(CDP_CHECK, { flags: one }),
      `error: Every port of the CDP range ${port} is taken`,
    );
    const many = ["--cdp-enabled", `--cdp-port-range=${port}-${port + 4}`];
    assert.match(await look(CDP_CHECK, { flags: many }), /^ok: [1-4] of 5 CDP ports are free$/);
    const sessions = await look(CDP_CHECK, {
      flags: [...many, "--transport=streamable-http", "--http-session-max=50"],
    });
    assert.match(sessions, /^warning: [1-4] CDP ports are free, and up to 50 sessions/);
  } finally {
    for (const listener of listeners) listener.close();
  }
});

Deno.test("cdp check: judges the certificate", async () => {
  using place = new Place();
  const { certPem, keyPem } = createCertificate("localhost");
  const cert = place.write("cert.pem", certPem);
  const flags = (key: string): string[] => [
    "--cdp-enabled",
    `--cdp-port-range=${freePort()}`,
    `--cdp-tls-cert=${cert}`,
    `--cdp-tls-key=${place.write("key.pem", key)}`,
  ];
  assert.match(
    await look(CDP_CHECK, { flags: flags(keyPem) }),
    /free\nok: The certificate and its key can be used$/,
  );
  const other = createCertificate("localhost").keyPem;
  for (const key of ["no key", other]) {
    assert.match(
      await look(CDP_CHECK, { flags: flags(key) }),
      /free\nerror: Cannot use ".*" with ".*" for CDP: /,
    );
  }
});

Deno.test("proxy check: has nothing to say where none is set", async () => {
  assert.match(await look(PROXY_CHECK, {}), /^skipped: Not applicable/);
});

Deno.test("proxy check: connects, and never shows names and passwords", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  for (const scheme of ["http://", "https://", "socks5://", ""]) {
    const flags = [`--proxy-server=${scheme}joe:pa55word@127.0.0.1:${port}`];
    const world = await doctorWorld({
      flags,
      env: { HTTPS_PROXY: `http://joe:pa55word@127.0.0.1:${port}/` },
    });
    const result = await runCheck(PROXY_CHECK, world);
    assert.deepEqual(told(result), [
      `ok: The proxy ${scheme || "http://"}127.0.0.1:${port} of --proxy-server takes connections`,
      `ok: The proxy http://127.0.0.1:${port} of HTTPS_PROXY takes connections`,
    ]);
    assert.doesNotMatch(JSON.stringify(result), /joe|pa55word/);
  }
});

Deno.test("proxy check: one of the browser that does not answer is an error, one of the environment a warning", async () => {
  const port = freePort();
  const result = await look(PROXY_CHECK, {
    flags: [`--proxy-server=http://joe:pa55word@127.0.0.1:${port}`],
    env: { http_proxy: `127.0.0.1:${port}` },
  });
  const [first = "", second = ""] = result.split("\n");
  assert.match(
    first,
    /^error: The proxy http:\/\/127\.0\.0\.1:\d+ of --proxy-server cannot be reached: nothing listens there; no page/,
  );
  assert.match(second, /^warning: The proxy http:\/\/127\.0\.0\.1:\d+ of http_proxy cannot be reached/);
  assert.doesNotMatch(result, /joe|pa55word/);
});

Deno.test("proxy check: finds one among the arguments of the browser, where no option is stronger", async () => {
  const flags = [`--extra-args=--proxy-server=127.0.0.1:${freePort()}`];
  assert.match(
    await look(PROXY_CHECK, { flags }),
    /^error: The proxy .* of --proxy-server among --extra-args cannot/,
  );
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const stronger = `--proxy-server=127.0.0.1:${listener.addr.port}`;
  assert.match(
    await look(PROXY_CHECK, { flags: [...flags, stronger] }),
    /^ok: [^\n]* of --proxy-server takes[^\n]*$/,
  );
});

Deno.test("proxy check: does not wait for ever for one that says nothing", async () => {
  using deaf = await DeafListener.open();
  const result = await look(PROXY_CHECK, { flags: [`--proxy-server=http://127.0.0.1:${deaf.port}`] });
  assert.match(result, /^error: .* cannot be reached: no answer within 5 s; no page will load$/);
});

Deno.test("proxy check: what is no address is told without being shown", async () => {
  const result = await look(PROXY_CHECK, { flags: ["--proxy-server=ftp://joe:pa55word@x"] });
  assert.equal(result, "error: The value of --proxy-server is no address of a proxy");
});
