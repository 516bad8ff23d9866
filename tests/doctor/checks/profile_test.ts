import assert from "node:assert/strict";
import { PROFILE_CHECK } from "../../../src/doctor/checks/profile.ts";
import { lockProfile } from "../../../src/browser/profile_lock.ts";
import { doctorWorld, Place, runCheck, told } from "../test_world.ts";

async function look(path: string): ReturnType<typeof runCheck> {
  return await runCheck(PROFILE_CHECK, await doctorWorld({ flags: [`--user-data-dir=${path}`] }));
}

/** A process of its own that holds a profile until it is killed. */
class Holder implements AsyncDisposable {
  readonly pid: number;
  readonly #child: Deno.ChildProcess;

  private constructor(child: Deno.ChildProcess) {
    this.#child = child;
    this.pid = child.pid;
  }

  static async start(path: string): Promise<Holder> {
    const module = new URL("../../../src/browser/profile_lock.ts", import.meta.url).href;
    const script = `const { lockProfile } = await import(${JSON.stringify(module)});
      await lockProfile(${JSON.stringify(path)}, { session: "other" }, 0);
      console.log("held");
      await new Promise((resolve) => setTimeout(resolve, 600_000));`;
    const config = new URL("../../../deno.json", import.meta.url).pathname;
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "--config", config, "-"],
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(script));
    await writer.close();
    const holder = new Holder(child);
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    assert.equal(new TextDecoder().decode(value).trim(), "held");
    return holder;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // ended in a test
    }
    await this.#child.status;
    await this.#child.stdout.cancel();
  }
}

Deno.test("profile check: has nothing to say where no profile is named, or upstream attaches", async () => {
  for (const flags of [[], ["--user-data-dir=/srv/p", "--cdp-endpoint=http://127.0.0.1:1"]]) {
    assert.match(
      told(await runCheck(PROFILE_CHECK, await doctorWorld({ flags }))).join(),
      /^skipped: Not applicable/,
    );
  }
});

Deno.test("profile check: does not make the directory, nor a lock in one that is there", async () => {
  using place = new Place();
  const missing = `${place.path}/a/profile`;
  assert.deepEqual(told(await look(missing)), [`ok: Nobody has "${missing}"; it is not there yet`]);
  assert.deepEqual(told(await look(place.path)), [`ok: "${place.path}" is free`]);
  assert.deepEqual(place.entries(), []);
});

Deno.test("profile check: refuses what is no directory", async () => {
  using place = new Place();
  const file = place.write("file", "");
  assert.match(told(await look(file)).join(), /^error: .* it is no directory$/);
  assert.match(told(await look(`${file}/below`)).join(), /^error: .* a part of its path is no directory$/);
});

Deno.test("profile check: names another process that holds it, and leaves it its lock", async () => {
  using place = new Place();
  await using holder = await Holder.start(place.path);
  for (let round = 0; round < 2; round++) {
    const result = await look(place.path);
    assert.match(
      told(result).join(),
      new RegExp(`^error: Profile ".*" is in use by process ${holder.pid} \\(session other\\) since 20`),
    );
    assert.equal(result.details?.["held"], true);
  }
  await assert.rejects(lockProfile(place.path, { session: "third" }, 0), { code: "locked" });
});

Deno.test("profile check: an owner that crashed or ended holds nothing, and the next start gets the lock", async () => {
  using place = new Place();
  {
    await using _holder = await Holder.start(place.path);
  }
  assert.deepEqual(told(await look(place.path)), [`ok: "${place.path}" is free`]);
  {
    await using _lock = await lockProfile(place.path, { session: "next" }, 0);
  }
  assert.deepEqual(told(await look(place.path)), [`ok: "${place.path}" is free`]);
});

Deno.test("profile check: a browser that has the profile is told, here and elsewhere, a dead one is not", async () => {
  using place = new Place();
  const link = `${place.path}/SingletonLock`;
  const browser = new Deno.Command("sleep", { args: ["600"] }).spawn();
  try {
    await Deno.symlink(`${Deno.hostname()}-${browser.pid}`, link);
    const here = told(await look(place.path)).join();
    assert.match(here, new RegExp(`^error: .* is in use by the browser with process id ${browser.pid}$`));
    await Deno.remove(link);
    await Deno.symlink(`another-host-${browser.pid}`, link);
    assert.match(
      told(await look(place.path)).join(),
      /^error: .* marked as in use by a browser on host "another-host"/,
    );
  } finally {
    browser.kill("SIGKILL");
    await browser.status;
  }
  await Deno.remove(link);
  await Deno.symlink(`${Deno.hostname()}-${browser.pid}`, link);
  assert.match(told(await look(place.path)).join(), /^ok: /);
  assert.deepEqual(place.entries(), ["SingletonLock"], "a stale mark is the next start's to remove");
});
