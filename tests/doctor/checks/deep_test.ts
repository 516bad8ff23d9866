import assert from "node:assert/strict";
import { openBridge } from "../../../src/app/bridge_factory.ts";
import { createDeepCheck, type DeepPort } from "../../../src/doctor/checks/deep.ts";
import { createPrivateDirectory } from "../../../src/platform/private_directory.ts";
import { VirtualDisplay } from "../../../src/platform/virtual_display.ts";
import { isRunning, readStat } from "../../harness/proc_stat.ts";
import { until } from "../../harness/until.ts";
import { NO_LOG } from "../no_log.ts";
import { doctorWorld, Place, runCheck, told } from "../test_world.ts";

Deno.test("deep check: gives up a browser that hangs, names the step, and leaves nothing behind", async () => {
  using place = new Place();
  using temporary = new Place();
  const pids = `${place.path}/pids`;
  const executablePath = place.write("chrome", `#!/bin/sh\necho $$ >>${pids}\nexec sleep 600\n`, 0o755);
  const env = { ...Deno.env.toObject(), TMPDIR: temporary.path };
  const world = await doctorWorld({
    flags: [`--binary-path=${executablePath}`],
    env,
    subject: { executablePath },
  });
  const { origins } = world.resolved;
  const display = new VirtualDisplay({ tempRoot: temporary.path, prefix: "display-" });
  const port: DeepPort = {
    openDirectory: () => createPrivateDirectory({ tempRoot: temporary.path, prefix: "deep-" }),
    openBridge: (configuration, client) =>
      openBridge({ tempRoot: temporary.path, redact: (text) => text, display }, {
        configuration: { ...configuration, origins },
        client,
        log: NO_LOG,
        session: "doctor",
      }),
  };
  const patience = new AbortController();
  const running = createDeepCheck(port).run(world, patience.signal);
  const started = (): Promise<string> => Deno.readTextFile(pids).catch(() => "");
  await until("the browser is started", async () => (await started()).endsWith("\n"), 30_000);
  patience.abort();
  const result = await running;
  assert.match(
    told(result).join("\n"),
    /error: browser_navigate failed: was given up, as it took too long/,
  );
  assert.deepEqual(temporary.entries(), []);
  for (const pid of (await started()).trim().split("\n")) {
    assert.ok(!isRunning(readStat(Number(pid))), `process ${pid} lives`);
  }
});

Deno.test("deep check: launches nothing where there is nothing of ours to launch", async () => {
  const port: DeepPort = {
    openDirectory: () => assert.fail("a directory was made"),
    openBridge: () => assert.fail("a bridge was opened"),
  };
  const check = createDeepCheck(port);
  const look = async (subject: Parameters<typeof doctorWorld>[0]): Promise<string> =>
    told(await runCheck(check, await doctorWorld(subject))).join();
  assert.match(await look({ subject: new Error("none") }), /^skipped: There is no browser/);
  assert.match(
    await look({ subject: { notOurs: "it runs already" } }),
    /^skipped: Not applicable: it runs already/,
  );
  assert.match(await look({ subject: { source: "cloakbrowser" } }), /^error: .* the doctor downloads none$/);
});
