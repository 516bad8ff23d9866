import assert from "node:assert/strict";
import { inFile, refusals, settle } from "./settle.ts";

const COMMAND = { flag: "--upstream-command", value: '["other"]' };

Deno.test("judgePages() refuses rules that another upstream does not keep, all in one message", async () => {
  const flags = [COMMAND, { flag: "--downloads", value: "deny" }, { flag: "--max-pages", value: "3" }];
  assert.deepEqual(await refusals({ flags }), [
    "Cannot use --max-pages, --downloads together with --upstream-command: another upstream does not know of it. " +
    "Leave one of them out",
  ]);
  const file = inFile({ downloadMaxBytes: 5, upstreamCommand: ["other"] });
  assert.match(
    (await refusals(file)).join(),
    /Cannot use "downloadMaxBytes" in .* together with "upstreamCommand"/,
  );
});

Deno.test("judgePages() passes the defaults with another upstream, and the rules with ours", async () => {
  assert.equal((await settle({ flags: [COMMAND] })).settings.downloads, undefined);
  const { settings } = await settle({ flags: [{ flag: "--downloads", value: "session-dir" }] });
  assert.equal(settings.downloads, "session-dir");
});
