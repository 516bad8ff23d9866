import assert from "node:assert/strict";
import { join } from "node:path";
import { CertificateRenewal } from "../../src/http/certificate_renewal.ts";
import { TlsFiles, type TlsMaterial } from "../../src/http/tls.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { createCertificate, type TestCertificate } from "../harness/certificates.ts";
import { until } from "../harness/until.ts";

const DAY_MS = 86_400_000;
const NOTICED_WITHIN_MS = 5_000;

const one = createCertificate("localhost");
const two = createCertificate("localhost");

class World implements AsyncDisposable {
  readonly served: TlsMaterial[] = [];
  readonly lines: string[] = [];
  readonly folder = Deno.makeTempDirSync();
  /** Days from now. */
  day = 0;
  serveFault: Error | undefined;
  /** What the clock does each minute. */
  poll = (): void => {};
  #renewal: CertificateRenewal | undefined;

  static async start(day = 0): Promise<World> {
    const world = new World();
    world.day = day;
    world.put(one);
    await world.#start();
    return world;
  }

  get renewal(): CertificateRenewal {
    assert.ok(this.#renewal);
    return this.#renewal;
  }

  /** Renames, so that each file is whole at any time. */
  put({ certPem, keyPem }: Pick<TestCertificate, "certPem" | "keyPem">): void {
    for (const [name, content] of [["c.pem", certPem], ["k.pem", keyPem]] as const) {
      Deno.writeTextFileSync(join(this.folder, "fresh"), content);
      Deno.renameSync(join(this.folder, "fresh"), join(this.folder, name));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#renewal?.[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }

  async #start(): Promise<void> {
    const files = await TlsFiles.load({
      httpsCert: join(this.folder, "c.pem"),
      httpsKey: join(this.folder, "k.pem"),
      httpsPfx: undefined,
      httpsPassphrase: undefined,
    });
    this.#renewal = new CertificateRenewal({
      files,
      serve: (material) => {
        if (this.serveFault !== undefined) return Promise.reject(this.serveFault);
        this.served.push(material);
        return Promise.resolve();
      },
      log: createLogger({ level: "info", format: "text", write: (line) => this.lines.push(line) }),
      now: () => Date.now() + this.day * DAY_MS,
      every: (_, task) => {
        this.poll = task;
        return { [Symbol.dispose]: () => {} };
      },
    });
  }
}

Deno.test("CertificateRenewal serves a certificate that was replaced, by itself", async () => {
  await using world = await World.start();
  assert.deepEqual(world.lines, [], "nothing to say of a good certificate");
  world.put(two);
  await until("the new one served", () => world.served.length > 0, NOTICED_WITHIN_MS);
  await world.renewal.check();
  assert.equal(world.served.length, 1);
  assert.match(world.lines.join("\n"), /INFO .*certificate renewed valid_until=\d{4}-/);
});

Deno.test("CertificateRenewal looks each minute, and serves nothing twice", async () => {
  await using world = await World.start();
  world.poll();
  world.poll();
  await world.renewal.check();
  assert.deepEqual(world.served, []);
  world.put(two);
  world.poll();
  world.poll();
  await world.renewal.check();
  assert.equal(world.served.length, 1);
});

Deno.test("CertificateRenewal keeps the old one while the new pair does not match, and tells it once", async () => {
  await using world = await World.start();
  world.put({ certPem: two.certPem, keyPem: one.keyPem });
  for (let look = 0; look < 3; look++) await world.renewal.check(true);
  assert.deepEqual(world.served, []);
  assert.equal(world.lines.length, 1);
  assert.match(
    world.lines[0] ?? "",
    /ERROR .*the one before stays in use cause=.*does not belong to the certificate/,
  );
  world.put(two);
  await world.renewal.check();
  assert.equal(world.served.length, 1);
});

Deno.test("CertificateRenewal tries again what could not be served", async () => {
  await using world = await World.start();
  world.serveFault = new Error("no port");
  world.put(two);
  await world.renewal.check();
  assert.match(world.lines.join("\n"), /ERROR .*cause="no port"/);
  world.serveFault = undefined;
  world.poll();
  await world.renewal.check();
  assert.equal(world.served.length, 1);
});

Deno.test("CertificateRenewal warns of a certificate that is not valid, or soon will not be", async (t) => {
  const cases = [
    ["expired", 31, /WARN .*certificate has expired.* valid_until=/],
    ["not valid yet", -2, /WARN .*certificate is not valid yet/],
    ["ends soon", 17, /WARN .*certificate ends soon/],
  ] as const;
  for (const [title, day, line] of cases) {
    await t.step(title, async () => {
      await using world = await World.start(day);
      assert.equal(world.lines.length, 1, "at the start");
      assert.match(world.lines[0] ?? "", line);
      world.put(two);
      await world.renewal.check();
      assert.match(world.lines.at(-1) ?? "", line, "and with the new one");
    });
  }
  await t.step("not 15 days before", async () => {
    await using world = await World.start(15);
    assert.deepEqual(world.lines, []);
  });
});

Deno.test("CertificateRenewal serves nothing after its end", async () => {
  const world = await World.start();
  const { renewal } = world;
  world.put(two);
  await world[Symbol.asyncDispose]();
  await renewal.check(true);
  assert.deepEqual(world.served, []);
});
