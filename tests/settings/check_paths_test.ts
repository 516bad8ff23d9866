import assert from "node:assert/strict";
import { join } from "node:path";
import { AppError } from "../../src/errors.ts";
import { checkPaths, type Disk } from "../../src/settings/check_paths.ts";
import { resolveSettings } from "../../src/settings/resolve_settings.ts";
import type { FlagOccurrence } from "../../src/settings/upstream_options.ts";

async function problems(
  cwd: string,
  flags: readonly FlagOccurrence[],
  { env = {}, disk }: { env?: Readonly<Record<string, string>>; disk?: Disk } = {},
): Promise<string> {
  const resolved = await resolveSettings({ flags, env, cwd, readTextFile: () => "" });
  try {
    await checkPaths({ resolved, env, cwd, ...(disk && { disk }) });
    return "";
  } catch (error) {
    assert.ok(error instanceof AppError && error.exitStatus === 2);
    return error.message;
  }
}

async function inTempDirectory(body: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await body(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const binary = (value: string): FlagOccurrence => ({ flag: "--binary-path", value });
const output = (value: string): FlagOccurrence => ({ flag: "--output-dir", value });

Deno.test("checkPaths() passes a readable regular file", async () => {
  await inTempDirectory(async (directory) => {
    await Deno.writeTextFile(join(directory, "chrome"), "");
    await Deno.symlink("chrome", join(directory, "link"));
    assert.equal(await problems(directory, [binary("chrome")]), "");
    assert.equal(await problems(directory, [binary("link")]), "");
  });
});

Deno.test("checkPaths() names a binary that is missing, a directory or no regular file, and what named it", async () => {
  await inTempDirectory(async (directory) => {
    const missing = join(directory, "none");
    assert.equal(
      await problems(directory, [binary("none")]),
      `Cannot use "${missing}" for --binary-path: it does not exist`,
    );
    assert.match(await problems(directory, [binary(".")]), /it is a directory/);
    assert.match(await problems(directory, [binary("/dev/null")]), /no regular file/);
    assert.match(
      await problems(directory, [], { env: { CLOAKBROWSER_BINARY_PATH: "none" } }),
      /CLOAKBROWSER_BINARY_PATH/,
    );
    await Deno.writeTextFile(join(directory, "file"), "");
    assert.match(await problems(directory, [binary("file/x")]), /no directory/);
  });
});

Deno.test("checkPaths() names a file that may not be read", async () => {
  const disk: Disk = {
    stat: () => Promise.resolve({ isFile: true, isDirectory: false }),
    tryReading: () => Promise.reject(new Deno.errors.PermissionDenied("open")),
    tryWriting: () => Promise.resolve(),
  };
  assert.match(await problems("/", [binary("/b")], { disk }), /"\/b" for --binary-path: permission denied/);
});

Deno.test("checkPaths() wants the other named files too", async () => {
  await inTempDirectory(async (directory) => {
    const text = await problems(directory, [
      { flag: "--config", value: "c.json" },
      { flag: "--init-page", value: "p.ts" },
      { flag: "--init-script", value: "s.js" },
      { flag: "--secrets", value: "secrets.env" },
      { flag: "--storage-state", value: "state.json" },
    ]);
    for (const name of ["--config", "--init-page", "--init-script", "--secrets", "--storage-state"]) {
      assert.ok(text.includes(name), name);
    }
    assert.equal(text.split("\n").length, 5);
  });
});

Deno.test("checkPaths() lets an output directory be created later, and creates nothing", async () => {
  await inTempDirectory(async (directory) => {
    assert.equal(await problems(directory, [output("a/b/c")]), "");
    assert.equal(await problems(directory, [output(".")]), "");
    assert.deepEqual(await Array.fromAsync(Deno.readDir(directory)), []);
  });
});

Deno.test("checkPaths() names an output directory that cannot be written", async () => {
  await inTempDirectory(async (directory) => {
    await Deno.writeTextFile(join(directory, "file"), "");
    assert.match(await problems(directory, [output("file")]), /file" for --output-dir: it is no directory/);
    assert.match(await problems(directory, [output("file/x/y")]), /file\/x\/y" for --output-dir/);
    assert.match(
      await problems(directory, [], { env: { PLAYWRIGHT_MCP_OUTPUT_DIR: "file" } }),
      /PLAYWRIGHT_MCP_OUTPUT_DIR/,
    );
    assert.match(await problems(directory, [{ flag: "--user-data-dir", value: "file" }]), /--user-data-dir/);
  });
  const readOnly: Disk = {
    stat: () => Promise.resolve({ isFile: false, isDirectory: true }),
    tryReading: () => Promise.resolve(),
    tryWriting: (path) =>
      path === "/ro" ? Promise.reject(new Deno.errors.PermissionDenied("open")) : Promise.resolve(),
  };
  assert.match(
    await problems("/", [output("/ro")], { disk: readOnly }),
    /"\/ro" for --output-dir: permission denied/,
  );
});

Deno.test({
  name: "checkPaths() names a directory of a file system that takes no files",
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    assert.match(await problems("/", [output("/proc/none/x")]), /"\/proc\/none\/x" for --output-dir/);
  },
});

Deno.test("checkPaths() judges only the last of a repeated output directory, as upstream does", async () => {
  await inTempDirectory(async (directory) => {
    await Deno.writeTextFile(join(directory, "file"), "");
    assert.equal(await problems(directory, [output("file"), output("out")]), "");
  });
});

Deno.test({
  name: "checkPaths() wants a temporary directory that is there and can be written",
  ignore: Deno.build.os === "windows",
  fn: async () => {
    await inTempDirectory(async (directory) => {
      const missing = join(directory, "none");
      assert.match(
        await problems(directory, [], { env: { TMPDIR: missing } }),
        /none" for TMPDIR: it does not exist/,
      );
      assert.equal(await problems(directory, [], { env: { TMPDIR: directory } }), "");
      assert.deepEqual(await Array.fromAsync(Deno.readDir(directory)), []);
    });
  },
});

Deno.test("checkPaths() wants the certificate files and a place for the socket only when HTTP is served", async () => {
  await inTempDirectory(async (directory) => {
    const https = [
      { flag: "--http-protocol", value: "https" },
      { flag: "--https-cert", value: "c.pem" },
      { flag: "--https-key", value: "k.pem" },
    ];
    const http = { flag: "--transport", value: "streamable-http" };
    const text = await problems(directory, [http, ...https]);
    assert.match(text, /c.pem" for --https-cert: it does not exist\n.*k.pem" for --https-key/);
    assert.equal(await problems(directory, https), "");
    const socket = (value: string): FlagOccurrence => ({ flag: "--http-socket", value });
    assert.equal(await problems(directory, [http, socket("s.sock")]), "");
    assert.match(await problems(directory, [http, socket("none/s.sock")]), /none" for --http-socket/);
  });
});

Deno.test("checkPaths() wants the certificate files of CDP only when CDP can be used", async () => {
  await inTempDirectory(async (directory) => {
    const tls = [{ flag: "--cdp-tls-cert", value: "c.pem" }, { flag: "--cdp-tls-key", value: "k.pem" }];
    const range = { flag: "--cdp-port-range", value: "9300" };
    const text = await problems(directory, [range, { flag: "--cdp-enabled" }, ...tls]);
    assert.match(text, /c.pem" for --cdp-tls-cert: it does not exist\n.*k.pem" for --cdp-tls-key/);
    assert.match(
      await problems(directory, [{ flag: "--transport", value: "streamable-http" }, range, ...tls]),
      /--cdp-tls-cert/,
    );
    assert.equal(await problems(directory, tls), "");
    assert.equal(await problems(directory, [range, ...tls]), "");
    for (const name of ["c.pem", "k.pem"]) await Deno.writeTextFile(join(directory, name), "");
    assert.equal(await problems(directory, [range, { flag: "--cdp-enabled" }, ...tls]), "");
  });
});
