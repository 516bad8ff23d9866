import assert from "node:assert/strict";
import {
  descendantsOf,
  killGroups,
  processesWithEnvironment,
  signalQuietly,
  stillAlive,
} from "../../src/platform/process_tree.ts";

interface Running extends AsyncDisposable {
  readonly pid: number;
}

/** A shell in a group of its own that has said that its child runs. */
async function startFamily(env: Record<string, string> = {}): Promise<Running> {
  const child = new Deno.Command("sh", {
    args: ["-c", "sleep 60 & echo ready; wait"],
    env,
    detached: true,
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    pid: child.pid,
    async [Symbol.asyncDispose](): Promise<void> {
      signalQuietly(-child.pid, "SIGKILL");
      await child.status;
      await reader.cancel();
    },
  };
}

Deno.test("descendantsOf() finds children, and stillAlive() tells when they have ended", async () => {
  await using family = await startFamily();
  const found = await descendantsOf(family.pid);
  assert.equal(found.length, 1);
  assert.equal(found[0]?.group, family.pid);
  assert.deepEqual(await stillAlive(found), found);
  await killGroups(found, "SIGKILL");
  while ((await stillAlive(found)).length > 0);
});

Deno.test("stillAlive() does not take a process for another that had its number", async () => {
  const [self] = (await descendantsOf(Deno.ppid)).filter((ref) => ref.pid === Deno.pid);
  assert.ok(self);
  assert.equal((await stillAlive([self])).length, 1);
  assert.deepEqual(await stillAlive([{ ...self, startedAt: "1" }]), []);
});

Deno.test("processesWithEnvironment() finds whoever carries the marker", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const marker = crypto.randomUUID();
  await using family = await startFamily({ TEST_MARKER: marker });
  const found = await processesWithEnvironment("TEST_MARKER", marker);
  assert.ok(found.some((ref) => ref.pid === family.pid));
  assert.deepEqual(await processesWithEnvironment("TEST_MARKER", "other"), []);
});

Deno.test("killGroups() spares the group that we belong to ourselves", async () => {
  const child = new Deno.Command("sleep", { args: ["60"], stdin: "null" }).spawn();
  const refs = (await descendantsOf(Deno.pid)).filter((ref) => ref.pid === child.pid);
  assert.equal(refs.length, 1);
  await killGroups(refs, "SIGKILL");
  assert.equal((await child.status).signal, "SIGKILL");
});

Deno.test("signalQuietly() takes a process that is gone for granted", async () => {
  const child = new Deno.Command("true").spawn();
  await child.status;
  signalQuietly(child.pid, "SIGTERM");
});
