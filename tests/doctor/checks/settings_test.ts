import assert from "node:assert/strict";
import { SETTINGS_CHECK } from "../../../src/doctor/checks/settings.ts";
import { doctorWorld, runCheck, told } from "../test_world.ts";

Deno.test("settings check: tells each conflict that a start would end with", async () => {
  const flags = ["--isolated", "--user-data-dir=/p", "--downloads=deny", "--cdp-endpoint=http://127.0.0.1:9"];
  const world = await doctorWorld({ flags: [...flags, "--extension"] });
  const lines = told(await runCheck(SETTINGS_CHECK, world));
  assert.equal(lines.length, 2, lines.join("\n"));
  assert.match(
    lines[0] ?? "",
    /^error: Cannot use Playwright's extension together with --cdp-endpoint, --isolated/,
  );
  assert.match(lines[1] ?? "", /^error: Cannot use --isolated together with --user-data-dir/);
  const attached = await doctorWorld({ flags: flags.slice(2) });
  assert.match(
    told(await runCheck(SETTINGS_CHECK, attached)).join(),
    /^error: Cannot use --downloads deny together/,
  );
});

Deno.test("settings check: leaves another upstream's options to it, and passes what can start", async () => {
  const command = '--upstream-command=["other"]';
  for (const flags of [[], ["--isolated"], [command, "--isolated", "--user-data-dir=/p"]]) {
    const result = await runCheck(SETTINGS_CHECK, await doctorWorld({ flags }));
    assert.ok(result.findings.every(({ status }) => status !== "error"), told(result).join("\n"));
  }
});
