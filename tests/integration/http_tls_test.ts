/** HTTPS: a renewed certificate is taken without a restart, and disturbs nobody. */
import assert from "node:assert/strict";
import { createCertificate } from "../harness/certificates.ts";
import { HttpRun } from "../harness/http_run.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { fingerprintOf, servedFingerprint } from "../harness/tls_probe.ts";
import { until } from "../harness/until.ts";

/** Time for the files to settle included. */
const RENEWED_WITHIN_MS = 10_000;
const PASSPHRASE = "made-for-tests";

const root = createCertificate("root");
const [one, two, three] = [1, 2, 3].map(() => createCertificate("localhost", root));
assert.ok(one && two && three);

/** Puts a file into place as renewers do: whole at any time. */
function put(path: string, content: string | Uint8Array): void {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  Deno.writeFileSync(`${path}.fresh`, bytes);
  Deno.renameSync(`${path}.fresh`, path);
}

async function withFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = new RunFolder();
  try {
    await run(folder.path);
  } finally {
    folder.remove();
  }
}

function lines(run: HttpRun, pattern: RegExp): number {
  return run.stderr.split("\n").filter((line) => pattern.test(line)).length;
}

Deno.test("a renewed certificate serves new connections, while calls and streams of old ones go on", (t) =>
  withFolder(async (folder) => {
    const [cert, key] = [`${folder}/tls.crt`, `${folder}/tls.key`];
    put(cert, one.certPem);
    put(key, one.keyPem);
    await using run = await HttpRun.start({
      caCerts: [root.certPem],
      args: ["--http-protocol", "https", "--https-cert", cert, "--https-key", key],
    });
    const client = await run.open();
    const listener = await client.listen();
    const call = client.callTool("slow", { ms: 8_000 }, { withinMs: 30_000 });
    await run.log.called("slow");
    assert.equal(await servedFingerprint(run.port), fingerprintOf(one.certPem));
    await t.step("a new connection has the new one", async () => {
      put(key, two.keyPem);
      put(cert, two.certPem);
      await until("the renewal", () => lines(run, /INFO .*certificate renewed/) === 1, RENEWED_WITHIN_MS);
      for (let connection = 0; connection < 5; connection++) {
        assert.equal(await servedFingerprint(run.port), fingerprintOf(two.certPem));
      }
    });
    await t.step("a pair that does not match changes nothing", async () => {
      put(cert, three.certPem);
      const told = /ERROR .*cannot renew the certificate.*the private key does not belong/;
      await until("the error", () => lines(run, told) === 1, RENEWED_WITHIN_MS);
      assert.equal(await servedFingerprint(run.port), fingerprintOf(two.certPem));
    });
    await t.step("and is taken when it does", async () => {
      put(key, three.keyPem);
      await until("the renewal", () => lines(run, /INFO .*certificate renewed/) === 2, RENEWED_WITHIN_MS);
      assert.equal(await servedFingerprint(run.port), fingerprintOf(three.certPem));
    });
    await t.step("the session goes on over new connections", async () => {
      assert.ok((await client.callTool("pid")).result.structuredContent.pid > 0);
    });
    await t.step("the stream that was open carries what upstream says", async () => {
      const emitted = client.callTool("emit", {
        method: "notifications/message",
        params: { level: "info", data: "hi" },
      });
      const event = await listener.next();
      assert.equal(JSON.parse(event?.data ?? "{}").params.data, "hi");
      assert.ok((await emitted).result);
    });
    await t.step("the call that was running is answered", async () => {
      assert.equal((await call).result.content[0].text, "slept 8000 ms");
    });
    await t.step("the end closes the old stream too", async () => {
      run.signal("SIGTERM");
      assert.deepEqual(await listener.rest(), []);
      assert.equal((await run.exit(RENEWED_WITHIN_MS)).code, 0);
    });
  }));

Deno.test("a renewed PKCS#12 file likewise, also behind a link that is swapped", () =>
  withFolder(async (folder) => {
    for (const [name, certificate] of [["..1", one], ["..2", two]] as const) {
      await Deno.mkdir(`${folder}/${name}`);
      put(`${folder}/${name}/tls.pfx`, certificate.pfx(PASSPHRASE));
    }
    await Deno.symlink("..1", `${folder}/..data`);
    await Deno.symlink("..data/tls.pfx", `${folder}/tls.pfx`);
    await using run = await HttpRun.start({
      caCerts: [root.certPem],
      args: ["--http-protocol", "https", "--https-pfx", `${folder}/tls.pfx`],
      env: { CLOAK_PLAYWRIGHT_MCP_HTTPS_PASSPHRASE: PASSPHRASE },
    });
    const client = await run.open();
    assert.equal(await servedFingerprint(run.port), fingerprintOf(one.certPem));
    await Deno.symlink("..2", `${folder}/..data_new`);
    await Deno.rename(`${folder}/..data_new`, `${folder}/..data`);
    await until("the renewal", () => lines(run, /INFO .*certificate renewed/) === 1, RENEWED_WITHIN_MS);
    assert.equal(await servedFingerprint(run.port), fingerprintOf(two.certPem));
    put(`${folder}/tls.pfx`, "garbage");
    const told = /ERROR .*cannot renew the certificate.*it is no PKCS#12 file/;
    await until("the error", () => lines(run, told) === 1, RENEWED_WITHIN_MS);
    assert.equal(await servedFingerprint(run.port), fingerprintOf(two.certPem));
    assert.ok((await client.callTool("pid")).result);
    assert.ok(!run.stderr.includes(PASSPHRASE));
  }));
