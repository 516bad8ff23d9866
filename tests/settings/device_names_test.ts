import assert from "node:assert/strict";
import { devices } from "playwright-core";
import { DEVICE_NAMES } from "../../src/settings/device_names.ts";
import { refusals, settle } from "./settle.ts";

Deno.test("DEVICE_NAMES are the devices of the pinned Playwright", () => {
  assert.deepEqual([...DEVICE_NAMES].sort(), Object.keys(devices).sort());
});

Deno.test("--device wants a device that Playwright knows", async () => {
  assert.deepEqual(await refusals({ flags: [{ flag: "--device", value: "iphone 15" }] }), [
    'Cannot use "iphone 15" for --device: it must be a device that Playwright knows (did you mean "iPhone 15"?)',
  ]);
  await settle({ env: { PLAYWRIGHT_MCP_DEVICE: "iPad Mini landscape" } });
});
