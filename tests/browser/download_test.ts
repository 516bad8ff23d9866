import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserSettings } from "../../src/browser/browser_settings.ts";
import {
  chromeArchive,
  type DownloadHost,
  type DownloadHostOptions,
  startDownloadHost,
} from "../fixtures/download_host.ts";

const ignore = Deno.build.os === "windows";
const SCRIPT = "#!/bin/sh\necho stand-in\n";

interface Outcome {
  readonly value?: Record<string, unknown>;
  readonly error?: string;
  readonly code?: string;
  readonly remedy?: string;
  readonly progress?: readonly { readonly message: string; readonly percent?: number }[];
}

interface Run {
  readonly outcomes: Outcome[];
  readonly stdout: string;
  readonly stderr: string;
}

interface Scene extends AsyncDisposable {
  readonly host: DownloadHost;
  readonly cacheDir: string;
  run(steps: string[][], changes?: Partial<BrowserSettings>, env?: Record<string, string>): Promise<Run>;
}

async function scene(options: Omit<DownloadHostOptions, "archive">): Promise<Scene> {
  const host = startDownloadHost({ archive: await chromeArchive(SCRIPT), ...options });
  const directory = await Deno.makeTempDir();
  const cacheDir = join(directory, "cache");
  let runs = 0;
  return {
    host,
    cacheDir,
    async run(steps, changes = {}, env = { CLOAKBROWSER_SKIP_CHECKSUM: "true" }): Promise<Run> {
      const outcomePath = join(directory, `outcome-${runs++}`);
      const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--quiet",
          "--no-lock",
          "-A",
          fileURLToPath(new URL("resolver_process.ts", import.meta.url)),
          JSON.stringify({ cacheDir, downloadUrl: host.url, ...changes }),
          JSON.stringify(steps),
          outcomePath,
        ],
        env,
      }).output();
      const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
      const lines = (await Deno.readTextFile(outcomePath).catch(() => "")).trim().split("\n");
      assert.equal(lines.length, steps.flat().length, decode(stderr));
      return {
        outcomes: lines.map((line) => JSON.parse(line)),
        stdout: decode(stdout),
        stderr: decode(stderr),
      };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await host[Symbol.asyncDispose]();
      await Deno.remove(directory, { recursive: true });
    },
  };
}

async function cached(cacheDir: string): Promise<string[]> {
  const names: string[] = [];
  for await (const entry of Deno.readDir(cacheDir)) names.push(entry.name);
  return names.filter((name) => !name.startsWith(".")).sort();
}

async function runs(path: unknown): Promise<string> {
  const { stdout } = await new Deno.Command(String(path)).output();
  return new TextDecoder().decode(stdout).trim();
}

Deno.test({
  name: "ensure() downloads the browser that plan() named, with progress and a silent stdout",
  ignore,
}, async () => {
  await using stage = await scene({ behaviours: ["good"] });
  const run = await stage.run([["plan"], ["ensure"], ["info"], ["ensure"]]);
  const [plan, ensured, info, again] = run.outcomes;
  assert.equal(ensured?.value?.["executablePath"], plan?.value?.["executablePath"]);
  assert.deepEqual(ensured?.value?.["stealthArgs"], plan?.value?.["stealthArgs"]);
  assert.equal(await runs(ensured?.value?.["executablePath"]), "stand-in");
  assert.equal(ensured?.progress?.find(({ percent }) => percent !== undefined)?.percent !== undefined, true);
  assert.match(ensured?.progress?.[0]?.message ?? "", /not found\. Downloading/);
  assert.equal(info?.value?.["note"], undefined);
  assert.equal((info?.value?.["binary"] as { installed: boolean }).installed, true);
  assert.deepEqual(again?.value, ensured?.value);
  assert.equal(run.stdout, "");
  assert.match(run.stderr, /WARN cloakbrowser-mcp Downloading from http:\/\/127\.0\.0\.1/);
  assert.equal(stage.host.archiveRequests.length, 1);
});

Deno.test({
  name: "ensure() downloads nothing where it could not be kept",
  ignore,
}, async () => {
  await using stage = await scene({ behaviours: ["good"] });
  await Deno.mkdir(stage.cacheDir);
  await Deno.writeTextFile(join(stage.cacheDir, "file"), "");
  const { outcomes: [ensured] } = await stage.run([["ensure"]], {
    cacheDir: join(stage.cacheDir, "file/cache"),
  });
  assert.match(
    ensured?.error ?? "",
    /the cache directory ".*cache\/file\/cache" cannot be written/,
  );
  assert.deepEqual(stage.host.archiveRequests, []);
});

Deno.test({ name: "ensure() shares one download among calls at the same time", ignore }, async () => {
  await using stage = await scene({ behaviours: ["good"] });
  const { outcomes } = await stage.run([["ensure", "ensure", "ensure"]]);
  assert.equal(outcomes.length, 3);
  assert.equal(stage.host.archiveRequests.length, 1);
  for (const outcome of outcomes) {
    assert.equal(outcome.value?.["source"], "cloakbrowser");
    assert.ok(outcome.progress?.some(({ percent }) => percent !== undefined));
  }
});

Deno.test({ name: "ensure() shares one download among processes", ignore }, async () => {
  await using stage = await scene({ behaviours: ["held"] });
  const asked = stage.host.nextRequest();
  const first = stage.run([["ensure"]]);
  await asked;
  const second = stage.run([["ensure"]]);
  const waits = await Promise.race([
    pollFor(async () => {
      const lock = await Deno.open(join(stage.cacheDir, ".cloakbrowser-mcp-download.lock"), {
        read: true,
        write: true,
      });
      using _ = lock;
      return !await lock.tryLock(true);
    }),
    second.then(() => "ended"),
  ]);
  assert.equal(waits, undefined);
  stage.host.release();
  const [one, two] = await Promise.all([first, second]);
  assert.deepEqual(one.outcomes[0]?.value?.["executablePath"], two.outcomes[0]?.value?.["executablePath"]);
  assert.equal(stage.host.archiveRequests.length, 1);
});

Deno.test(
  { name: "ensure() says what was tried and what to do, and tries again at the next call", ignore },
  async () => {
    await using stage = await scene({ behaviours: ["missing", "good"] });
    const { outcomes: [failed, worked], stdout } = await stage.run([["ensure"], ["ensure"]]);
    assert.equal(failed?.code, "browser_unavailable");
    assert.match(
      failed?.error ?? "",
      /^Cannot get CloakBrowser \d+\.\S+ for \S+ from 127\.0\.0\.1:\d+: Download failed: HTTP 404/,
    );
    for (
      const word of [
        "--binary-path",
        "--browser-engine playwright",
        "--executable-path",
        "HTTPS_PROXY",
        "NO_PROXY",
        "cloakbrowser-mcp install",
      ]
    ) {
      assert.ok(failed?.remedy?.includes(word), word);
    }
    assert.equal(worked?.value?.["source"], "cloakbrowser");
    assert.equal(stdout, "");
  },
);

for (const behaviour of ["cut", "truncated"] as const) {
  Deno.test(
    { name: `ensure() leaves nothing behind of a download that was ${behaviour}`, ignore },
    async () => {
      await using stage = await scene({ behaviours: [behaviour, "good"] });
      const { outcomes: [failed, worked], stdout } = await stage.run([["ensure"], ["ensure"]]);
      assert.equal(failed?.code, "browser_unavailable", JSON.stringify(failed));
      assert.equal(await runs(worked?.value?.["executablePath"]), "stand-in");
      assert.equal((await cached(stage.cacheDir)).length, 1);
      assert.equal(stdout, "");
    },
  );
}

Deno.test(
  { name: "ensure() refuses a file with a wrong checksum, in the engine auto too", ignore },
  async () => {
    const names = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"];
    const checksums = names.map((name) => `${"0".repeat(64)}  cloakbrowser-${name}.tar.gz\n`).join("");
    await using stage = await scene({ behaviours: ["good"], checksums });
    for (const browserEngine of ["cloak", "auto"] as const) {
      const { outcomes: [outcome] } = await stage.run([["ensure"]], { browserEngine }, {});
      assert.equal(outcome?.code, "browser_unavailable");
      assert.match(
        outcome?.error ?? "",
        /^Refused to use CloakBrowser .* could not be verified: Checksum verification failed/,
      );
      assert.deepEqual(await cached(stage.cacheDir), []);
    }
  },
);

Deno.test({
  name: "ensure() falls back to an installed Chrome in the engine auto alone, and says why",
  ignore,
}, async () => {
  await using stage = await scene({ behaviours: ["missing"] });
  const auto = await stage.run([["plan"], ["ensure"], ["plan"], ["info"], ["ensure"]], {
    browserEngine: "auto",
  });
  const [before, ensured, after, info] = auto.outcomes;
  assert.equal(before?.value?.["source"], "cloakbrowser");
  assert.deepEqual(ensured?.value, {
    engine: "playwright",
    executablePath: "/installed/chrome",
    source: "installed_chrome",
  });
  assert.deepEqual(after?.value, ensured?.value);
  assert.equal(info?.value?.["executablePath"], "/installed/chrome");
  assert.match(String(info?.value?.["note"]), /instead of CloakBrowser: Cannot get CloakBrowser .* HTTP 404/);
  assert.equal(auto.stderr.match(/WARN .*instead of CloakBrowser/g)?.length, 1);
});

Deno.test({ name: "ensure() hides credentials of a mirror", ignore }, async () => {
  await using stage = await scene({ behaviours: ["missing"] });
  const downloadUrl = stage.host.url.replace("//", "//user:hunter2@");
  const run = await stage.run([["ensure"], ["info"]], { downloadUrl });
  assert.equal(run.outcomes[0]?.code, "browser_unavailable");
  assert.doesNotMatch(JSON.stringify(run.outcomes) + run.stderr, /hunter2/);
});

Deno.test(
  { name: "plan() names the browser without network, ensure() uses one that is there", ignore },
  async () => {
    await using stage = await scene({ behaviours: ["missing"] });
    const { outcomes: [plan] } = await stage.run([["plan"], ["info"]]);
    const path = String(plan?.value?.["executablePath"]);
    assert.ok(path.startsWith(stage.cacheDir));
    await Deno.mkdir(join(path, ".."), { recursive: true });
    await Deno.writeTextFile(path, SCRIPT, { mode: 0o755 });
    const { outcomes: [ensured] } = await stage.run([["ensure"]]);
    assert.equal(ensured?.value?.["executablePath"], path);
    assert.deepEqual(stage.host.archiveRequests, []);
  },
);

Deno.test({ name: "plan() refuses a version that is none", ignore }, async () => {
  await using stage = await scene({ behaviours: ["missing"] });
  const { outcomes: [plan] } = await stage.run([["plan"]], { browserVersion: "latest" });
  assert.equal(plan?.code, "usage");
  assert.match(plan?.error ?? "", /^Cannot use browser version "latest"/);
});

Deno.test({ name: "installBrowser() downloads once", ignore }, async () => {
  await using stage = await scene({ behaviours: ["good"] });
  const first = await stage.run([["install"]], { browserEngine: "playwright" });
  const second = await stage.run([["install"]]);
  assert.equal(first.outcomes[0]?.value?.["downloaded"], true);
  assert.equal(second.outcomes[0]?.value?.["downloaded"], false);
  assert.equal(first.outcomes[0]?.value?.["executablePath"], second.outcomes[0]?.value?.["executablePath"]);
  assert.equal(stage.host.archiveRequests.length, 1);
  assert.equal(first.stdout + second.stdout, "");
});

async function pollFor(condition: () => Promise<boolean>): Promise<undefined> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 20));
  return undefined;
}
