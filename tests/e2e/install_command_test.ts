/**
 * The commands that bring and remove the browser, as a user runs them, against a download host on loopback.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import {
  type Behaviour,
  chromeArchive,
  type DownloadHost,
  startDownloadHost,
} from "../fixtures/download_host.ts";
import { bridgeCommand } from "../harness/target.ts";
import { until } from "../harness/until.ts";

const ignore = Deno.build.os === "windows";
const OLD = "#!/bin/sh\necho old\n";
const NEW = "#!/bin/sh\necho new\n";
const LOCK_FILE = ".cloakbrowser-mcp-download.lock";
const PLATFORMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Running {
  readonly process: Deno.ChildProcess;
  /** Standard error so far. */
  readonly said: () => string;
  readonly result: Promise<Result>;
}

/** A shell that runs its arguments with a megabyte of room for the cache, and lists what they have left there. */
const SMALL_DISK = [
  "unshare",
  "--map-root-user",
  "--mount",
  "sh",
  "-c",
  'mount -t tmpfs -o size=1m tmpfs "$0" && { "$@"; status=$?; ls -A "$0"; exit $status; }',
];

class Stage implements AsyncDisposable {
  readonly #directory = Deno.makeTempDirSync();
  readonly #hosts: DownloadHost[] = [];
  readonly cacheDir = join(this.#directory, "cache");

  host(
    archive: Uint8Array<ArrayBuffer>,
    behaviours: Behaviour[] = ["good"],
    checksum: string = createHash("sha256").update(archive).digest("hex"),
  ): DownloadHost {
    const checksums = PLATFORMS.map((name) => `${checksum}  cloakbrowser-${name}.tar.gz\n`).join("");
    const host = startDownloadHost({ archive, behaviours, checksums });
    this.#hosts.push(host);
    return host;
  }

  start(host: DownloadHost | undefined, ...args: string[]): Running {
    return this.#spawn(this.#command(host, args));
  }

  /** As `run`, on a disk of its own that is soon full; standard output ends with the names that stay there. */
  async runOnSmallDisk(host: DownloadHost, ...args: string[]): Promise<Result> {
    return await this.#spawn([...SMALL_DISK, this.cacheDir, ...this.#command(host, args)]).result;
  }

  #command(host: DownloadHost | undefined, args: readonly string[]): string[] {
    const target = bridgeCommand();
    const mirror = host === undefined ? [] : ["--download-url", host.url];
    return [target.command, ...target.args, ...args, "--cache-dir", this.cacheDir, ...mirror];
  }

  #spawn([command = "", ...args]: readonly string[]): Running {
    const process = new Deno.Command(command, {
      args,
      clearEnv: true,
      env: {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: this.#directory,
        DENO_DIR: Deno.env.get("DENO_DIR") ?? "",
      },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let stderr = "";
    const reading = (async () => {
      for await (const text of process.stderr.pipeThrough(new TextDecoderStream())) stderr += text;
    })();
    const result = (async (): Promise<Result> => {
      const stdout = await new Response(process.stdout).text();
      await reading;
      return { code: (await process.status).code, stdout, stderr };
    })();
    return { process, said: () => stderr, result };
  }

  async run(host: DownloadHost | undefined, ...args: string[]): Promise<Result> {
    return await this.start(host, ...args).result;
  }

  /** What lies in the cache, notes of the package apart. */
  entries(): string[] {
    return [...Deno.readDirSync(this.cacheDir)].map(({ name }) => name)
      .filter((name) => name !== ".welcome_shown").sort();
  }

  isLocked(): boolean {
    using file = Deno.openSync(join(this.cacheDir, LOCK_FILE), { read: true, write: true });
    return !file.tryLockSync(true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts) await host[Symbol.asyncDispose]();
    await Deno.remove(this.#directory, { recursive: true });
  }
}

async function says(path: string): Promise<string> {
  const { stdout } = await new Deno.Command(path.trim()).output();
  return new TextDecoder().decode(stdout).trim();
}

function onlyLock(entries: readonly string[]): void {
  assert.deepEqual(entries, [LOCK_FILE]);
}

Deno.test(
  { name: "install prints lines of progress and the path, and then finds nothing to do", ignore },
  async () => {
    await using stage = new Stage();
    const host = stage.host(await chromeArchive(OLD));
    const first = await stage.run(host, "install");
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /^\/.*\/chromium-[\d.]+\/chrome\n$/);
    assert.match(first.stderr, /^100%, 25\d\.\d KiB of 25\d\.\d KiB/m);
    for (const word of ["\r", "\x1b", "Download progress"]) assert.ok(!first.stderr.includes(word), word);
    assert.equal(await says(first.stdout), "old");
    const second = await stage.run(host, "install");
    assert.equal(second.stdout, first.stdout);
    assert.match(second.stderr, /Nothing to download/);
    assert.equal(host.archiveRequests.length, 1);
  },
);

Deno.test({ name: "install --quiet prints nothing but the path", ignore }, async () => {
  await using stage = new Stage();
  const { code, stdout, stderr } = await stage.run(
    stage.host(await chromeArchive(OLD)),
    "install",
    "--quiet",
  );
  assert.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  assert.equal(await says(stdout), "old");
});

Deno.test(
  { name: "install --force replaces the browser by a good one, and only by that", ignore },
  async () => {
    await using stage = new Stage();
    const { stdout: path } = await stage.run(stage.host(await chromeArchive(OLD)), "install");
    const archive = await chromeArchive(NEW);
    for (
      const host of [
        stage.host(archive, ["cut"]),
        stage.host(archive, ["missing"]),
        stage.host(archive, ["good"], "0".repeat(64)),
      ]
    ) {
      const failed = await stage.run(host, "install", "--force");
      assert.deepEqual([failed.code, failed.stdout], [3, ""]);
      assert.equal(await says(path), "old");
    }
    const good = await stage.run(stage.host(archive), "install", "--force");
    assert.equal(good.code, 0, good.stderr);
    assert.equal(good.stdout, path);
    assert.equal(await says(path), "new");
    assert.equal(stage.entries().length, 2, stage.entries().join());
  },
);

for (const force of [[], ["--force"]]) {
  const command = ["install", ...force].join(" ");

  Deno.test(
    { name: `${command} is stopped by SIGINT with nothing left, and works after it`, ignore },
    async () => {
      await using stage = new Stage();
      const host = stage.host(await chromeArchive(OLD), ["held", "good"]);
      const asked = host.nextRequest();
      const running = stage.start(host, "install", ...force);
      await asked;
      await until("half of it has come", () => /^5\d%|^4\d%/m.test(running.said()), 20_000);
      running.process.kill("SIGINT");
      const stopped = await running.result;
      assert.equal(stopped.code, 130, stopped.stderr);
      assert.equal(stopped.stdout, "");
      assert.match(stopped.stderr, /Interrupted by SIGINT: nothing was installed/);
      onlyLock(stage.entries());
      assert.equal(stage.isLocked(), false);
      const again = await stage.run(host, "install");
      assert.equal(await says(again.stdout), "old");
    },
  );

  Deno.test({ name: `${command} that unpacks is stopped by SIGINT with nothing left`, ignore }, async () => {
    await using stage = new Stage();
    const host = stage.host(await chromeArchive(OLD, 30_000));
    const running = stage.start(host, "install", ...force);
    await until("it unpacks", () => /Extracting/.test(running.said()), 20_000);
    running.process.kill("SIGINT");
    assert.equal((await running.result).code, 130, running.said());
    onlyLock(stage.entries());
  });

  Deno.test({ name: `${command} cleans up after one that was killed`, ignore }, async () => {
    await using stage = new Stage();
    const host = stage.host(await chromeArchive(OLD), ["held", "good"]);
    const running = stage.start(host, "install", ...force);
    await until("half of it has come", () => /^5\d%|^4\d%/m.test(running.said()), 20_000);
    running.process.kill("SIGKILL");
    await running.result;
    assert.notDeepEqual(stage.entries(), [LOCK_FILE]);
    const again = await stage.run(host, "install", ...force);
    assert.equal(await says(again.stdout), "old");
    assert.equal(stage.entries().length, 2, stage.entries().join());
  });
}

for (const behaviour of ["silent", "held"] as const) {
  Deno.test({ name: `install gives up on a host that is ${behaviour}`, ignore }, async () => {
    await using stage = new Stage();
    const host = stage.host(await chromeArchive(OLD), [behaviour]);
    const { code, stdout, stderr } = await stage.run(host, "install", "--download-stall-ms", "1000");
    assert.deepEqual([code, stdout], [3, ""]);
    assert.match(stderr, /Cannot get CloakBrowser .*: no data came for 1 s/);
    onlyLock(stage.entries());
  });
}

Deno.test({ name: "install lets one download at a time", ignore }, async () => {
  await using stage = new Stage();
  const host = stage.host(await chromeArchive(OLD), ["held"]);
  const asked = host.nextRequest();
  const one = stage.start(host, "install");
  await asked;
  const two = stage.start(host, "install");
  await until("the second waits", () => /Waiting for another process/.test(two.said()), 20_000);
  host.release();
  const results = await Promise.all([one.result, two.result]);
  assert.deepEqual(results.map(({ code }) => code), [0, 0]);
  assert.equal(results[0].stdout, results[1].stdout);
  assert.equal(host.archiveRequests.length, 1);
});

Deno.test(
  { name: "install refuses what is no browser for this machine, and leaves nothing", ignore },
  async () => {
    await using stage = new Stage();
    const foreign = new Uint8Array(256);
    foreign.set([0x7f, 0x45, 0x4c, 0x46]);
    foreign.set([Deno.build.arch === "aarch64" ? 0x3e : 0xb7], 18);
    const noise = crypto.getRandomValues(new Uint8Array(60_000));
    const cases: [DownloadHost, RegExp][] = [
      [stage.host(await chromeArchive(foreign)), /holds a browser for \w+, and this machine is/],
      [stage.host(noise), /Cannot get CloakBrowser/],
      [stage.host(await chromeArchive(OLD), ["truncated"]), /Refused to use .*Checksum verification failed/],
      [
        stage.host(await chromeArchive(OLD), ["good"], "0".repeat(64)),
        /Refused to use .*Checksum verification/,
      ],
      [stage.host(await chromeArchive(OLD), ["missing"]), /HTTP 404/],
      [stage.host(await chromeArchive(OLD), ["cut"]), /Cannot get CloakBrowser/],
    ];
    for (const [host, message] of cases) {
      const { code, stdout, stderr } = await stage.run(host, "install");
      assert.deepEqual([code, stdout], [3, ""], stderr);
      assert.match(stderr, message);
      onlyLock(stage.entries());
    }
  },
);

Deno.test(
  { name: "install --check tells what an installation would bring, and installs nothing", ignore },
  async () => {
    await using stage = new Stage();
    const host = stage.host(await chromeArchive(OLD));
    const before = await stage.run(host, "install", "--check");
    assert.match(
      before.stdout,
      /^CloakBrowser is not installed; "cloakbrowser-mcp install" brings \d+\.[\d.]+\n$/,
    );
    const { stdout, code } = await stage.run(host, "install", "--check", "--json");
    assert.equal(code, 0);
    const report = JSON.parse(stdout);
    assert.deepEqual([report.installed, report.updateAvailable], [null, true]);
    assert.deepEqual(host.archiveRequests, []);
    await stage.run(host, "install");
    const after = await stage.run(host, "install", "--check");
    assert.match(after.stdout, /is installed, and there is no newer one\n$/);
    const pinned = await stage.run(host, "install", "--check", "--browser-version", "999.0.0.0");
    assert.match(pinned.stdout, /not installed; .* brings 999\.0\.0\.0/);
  },
);

Deno.test({ name: "uninstall removes the browsers and keeps the licence key", ignore }, async () => {
  await using stage = new Stage();
  const none = await stage.run(undefined, "uninstall");
  assert.match(none.stdout, /^Nothing to remove in /);
  const host = stage.host(await chromeArchive(OLD), ["good", "held"]);
  await stage.run(host, "install");
  await Deno.writeTextFile(join(stage.cacheDir, "license.key"), "k");
  const others = ["chromium-1187", "chromium-stuff"];
  for (const name of others) await Deno.mkdir(join(stage.cacheDir, name));
  const asked = host.nextRequest();
  const installing = stage.start(host, "install", "--force");
  await asked;
  const refused = await stage.run(undefined, "uninstall");
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /an installation is under way/);
  host.release();
  await installing.result;
  const removed = await stage.run(undefined, "uninstall");
  assert.match(removed.stdout, /^Removed chromium-[\d.]+ from .*: 256\.\d KiB\n$/);
  assert.deepEqual(stage.entries(), [LOCK_FILE, ...others, "license.key"]);
});

Deno.test({
  name: "uninstall and install --force refuse while the browser runs",
  ignore: Deno.build.os !== "linux",
}, async () => {
  await using stage = new Stage();
  const host = stage.host(await chromeArchive(OLD));
  const path = (await stage.run(host, "install")).stdout.trim();
  await Deno.copyFile("/bin/sleep", path);
  const browser = new Deno.Command(path, { args: ["600"] }).spawn();
  try {
    for (const command of [["uninstall"], ["install", "--force"]]) {
      const { code, stderr } = await stage.run(host, ...command);
      assert.equal(code, 5, stderr);
      assert.match(stderr, new RegExp(`process ${browser.pid} runs it`));
    }
  } finally {
    browser.kill("SIGKILL");
    await browser.status;
  }
  assert.equal((await stage.run(host, "uninstall")).code, 0);
});

Deno.test("a download address that cannot serve is refused without its password", async () => {
  await using stage = new Stage();
  for (
    const address of [
      "ftp://user:hunter2@host",
      "user:hunter2@host",
      "https//user:hunter2@host",
      "http://user:hun/ter2@host",
    ]
  ) {
    const { code, stderr } = await stage.run(undefined, "install", "--download-url", address);
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /hunter2|ter2/);
  }
});

Deno.test(
  { name: "install on a disk that fills up says so and leaves nothing", ignore: Deno.build.os !== "linux" },
  async () => {
    await using stage = new Stage();
    await Deno.mkdir(stage.cacheDir);
    const host = stage.host(new Uint8Array(8 * 1024 * 1024));
    for (const force of [[], ["--force"]]) {
      const { code, stdout, stderr } = await stage.runOnSmallDisk(host, "install", ...force);
      assert.equal(code, 3, stderr);
      assert.match(stderr, /the archive cannot be written to ".*cache.*": No space left.* has room/);
      assert.doesNotMatch(stderr, /[Uu]ncaught|\bat file:/);
      assert.deepEqual(stdout.trim().split("\n"), [LOCK_FILE]);
    }
  },
);

Deno.test({ name: "an empty browser is no browser, and install --force mends it", ignore }, async () => {
  await using stage = new Stage();
  const host = stage.host(await chromeArchive(OLD));
  const { stdout: path } = await stage.run(host, "install");
  await Deno.truncate(path.trim());
  const { code, stderr } = await stage.run(host, "install");
  assert.equal(code, 3);
  assert.match(stderr, /is an empty file\. Download it anew with "cloakbrowser-mcp install --force"/);
  assert.equal((await stage.run(host, "install", "--force")).code, 0);
  assert.equal(await says(path), "old");
});

Deno.test(
  { name: "uninstall and logout say what they may not remove", ignore: Deno.build.os !== "linux" },
  async () => {
    await using stage = new Stage();
    // Not even root can remove a directory as if it were a file, or open one as a lock.
    await Deno.mkdir(join(stage.cacheDir, LOCK_FILE), { recursive: true });
    await Deno.mkdir(join(stage.cacheDir, "license.key", "x"), { recursive: true });
    const uninstalled = await stage.run(undefined, "uninstall");
    assert.equal(uninstalled.code, 2, uninstalled.stderr);
    assert.match(
      uninstalled.stderr,
      /^cloakbrowser-mcp: Cannot uninstall from ".*": it is a directory\. Correct/,
    );
    const loggedOut = await stage.run(undefined, "license", "logout");
    assert.equal(loggedOut.code, 2, loggedOut.stderr);
    assert.match(
      loggedOut.stderr,
      /^cloakbrowser-mcp: Cannot remove the licence key ".*": .*\. Remove it by hand/,
    );
  },
);

Deno.test(
  {
    name: "a user without a home directory is asked for a cache directory",
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    const { command, args } = bridgeCommand();
    const { code, stderr } = await new Deno.Command("unshare", {
      // A user that no list names, as containers have.
      args: ["--user", "--map-user", "12345", command, ...args, "install"],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "", DENO_DIR: Deno.env.get("DENO_DIR") ?? "" },
    }).output();
    assert.equal(code, 2);
    assert.match(
      new TextDecoder().decode(stderr),
      /has no home directory\. Set HOME, or name a directory with --cache-dir/,
    );
  },
);
