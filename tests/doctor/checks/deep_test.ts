import assert from "node:assert/strict";
import { openBridge } from "../../../src/app/bridge_factory.ts";
import { createDeepCheck, type DeepPort } from "../../../src/doctor/checks/deep.ts";
import { createPrivateDirectory } from "../../../src/platform/private_directory.ts";
import { VirtualDisplay } from "../../../src/platform/virtual_display.ts";
import { NO_LOG } from "../no_log.ts";
import { doctorWorld, Place, runCheck, told } from "../test_world.ts";

const STEPS_MS = 2500;

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
  const result = await runCheck(createDeepCheck(port, STEPS_MS), world);
  assert.match(
    told(result).join("\n"),
    /error: (tools\/list|browser_navigate) failed: was given up, as it took too long/,
  );
  assert.deepEqual(temporary.entries(), []);
  const started = place.entries().includes("pids") ? (await Deno.readTextFile(pids)).trim().split("\n") : [];
  for (const pid of started) assert.throws(() => Deno.kill(Number(pid), "SIGCONT"), `process ${pid} lives`);
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
