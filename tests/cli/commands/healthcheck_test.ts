import assert from "node:assert/strict";
import { healthOf, serverArguments } from "../../../src/cli/commands/healthcheck.ts";
import type { Readiness } from "../../../src/http/readiness_query.ts";
import { createCertificate } from "../../harness/certificates.ts";
import { settle } from "../../settings/settle.ts";

Deno.test("serverArguments() finds the program behind an init, and nothing elsewhere", () => {
  const cases: [words: string[], expected: string[]][] = [
    [["/usr/local/bin/cloakbrowser-mcp"], []],
    [["cloakbrowser-mcp", "--port", "3000"], ["--port", "3000"]],
    [["/sbin/docker-init", "--", "/a/cloakbrowser-mcp", "--port", "", "x y"], ["--port", "", "x y"]],
    [["/usr/bin/tini", "-s", "--", "/a/cloakbrowser-mcp", "--host", "::"], ["--host", "::"]],
    [["/usr/lib/systemd/systemd", "--user"], []],
    [[], []],
  ];
  for (const [words, expected] of cases) {
    assert.deepEqual(serverArguments(words.map((word) => `${word}\0`).join("")), expected);
  }
});

Deno.test("healthOf() does not ask a server over stdio", async () => {
  const { settings } = await settle({});
  const health = await healthOf(settings, () => Promise.reject(new Error("asked")));
  assert.equal(health.healthy, true);
});

Deno.test("healthOf() judges what readiness answers", async () => {
  const { settings } = await settle({ flags: [{ flag: "--transport", value: "streamable-http" }] });
  const cases: [readiness: Readiness, healthy: boolean][] = [
    [{ status: 200, body: "{}" }, true],
    [{ status: 503, body: '{"sessions":{"available":0}}' }, true],
    [{ status: 503, body: '{"sessions":{"available":3}}' }, false],
    [{ status: 503, body: "<html>" }, false],
    [{ status: 401, body: "" }, false],
    [{ status: 404, body: "" }, false],
  ];
  for (const [readiness, healthy] of cases) {
    const health = await healthOf(settings, () => Promise.resolve(readiness));
    assert.equal(health.healthy, healthy, JSON.stringify(readiness));
    assert.match(health.text, healthy ? /^healthy: [^\n]+$/ : /^unhealthy: [^\n]+$/);
  }
});

Deno.test("healthOf() names in one line what keeps it from an answer", async () => {
  const { settings } = await settle({ flags: [{ flag: "--transport", value: "streamable-http" }] });
  const health = await healthOf(settings, () => Promise.reject(new Error("one\n two")));
  assert.deepEqual(health, { healthy: false, text: "unhealthy: one; two" });
});

Deno.test("healthOf() asks over every way that a server listens, with path and token", async (t) => {
  const folder = await Deno.makeTempDir();
  const seen: string[] = [];
  const handler = (request: Request): Response => {
    seen.push(`${new URL(request.url).pathname} ${request.headers.get("authorization")}`);
    return new Response("{}");
  };
  const onListen = (): void => {};
  const certificate = createCertificate("browser.example");
  const ways: [name: string, server: Deno.HttpServer<Deno.Addr>, flags: [string, string][]][] = [
    ["all addresses", Deno.serve({ port: 0, onListen }, handler), [["--http-host", "0.0.0.0"]]],
    ["a unix socket", Deno.serve({ path: `${folder}/s`, onListen }, handler), [[
      "--http-socket",
      `${folder}/s`,
    ]]],
    [
      "TLS with a certificate of another name",
      Deno.serve({ port: 0, onListen, cert: certificate.certPem, key: certificate.keyPem }, handler),
      [["--http-protocol", "https"], ["--https-cert", `${folder}/c`], ["--https-key", `${folder}/k`]],
    ],
  ];
  try {
    for (const [name, server, flags] of ways) {
      await t.step(name, async () => {
        const port = "port" in server.addr ? [["--http-port", String(server.addr.port)] as const] : [];
        const all = [
          ["--transport", "streamable-http"] as const,
          ["--http-auth-token", "secret-secret-secret"] as const,
          ["--http-base-path", "/base"] as const,
          ...port,
          ...flags,
        ];
        const { settings } = await settle({ flags: all.map(([flag, value]) => ({ flag, value })) });
        assert.deepEqual(await healthOf(settings), { healthy: true, text: "healthy: ready" });
        assert.equal(seen.pop(), "/base/readyz Bearer secret-secret-secret");
      });
    }
  } finally {
    for (const [, server] of ways) await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("healthOf() does not take another server for ours, nor wait for one that is silent", async (t) => {
  for (
    const [name, greeting, expected] of [["SSH", "SSH-2.0-x\r\n", /HTTP/], [
      "silence",
      "",
      /no answer/,
    ]] as const
  ) {
    await t.step(name, async () => {
      using listener = Deno.listen({ port: 0 });
      const served = listener.accept().then(async (connection) => {
        await connection.write(new TextEncoder().encode(greeting));
        if (greeting !== "") return connection.close();
        await new Response(connection.readable).bytes().catch(() => {});
      });
      const port = String(listener.addr.port);
      const { settings } = await settle({ flags: [{ flag: "--port", value: port }] });
      const health = await healthOf(settings);
      assert.equal(health.healthy, false);
      assert.match(health.text, expected);
      await served;
    });
  }
});
