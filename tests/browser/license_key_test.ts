import assert from "node:assert/strict";
import { join } from "node:path";
import { licenseKeyForBrowser, readLicenseFile } from "../../src/browser/license_key.ts";

Deno.test("licenseKeyForBrowser() prefers the setting to the file of a chosen cache directory", async () => {
  const cacheDir = await Deno.makeTempDir();
  assert.equal(await licenseKeyForBrowser({ licenseKey: undefined, cacheDir }), undefined);
  await Deno.writeTextFile(join(cacheDir, "license.key"), "from-file\n");
  assert.equal(await licenseKeyForBrowser({ licenseKey: undefined, cacheDir }), "from-file");
  assert.equal(await licenseKeyForBrowser({ licenseKey: "from-setting", cacheDir }), "from-setting");
  assert.equal(await licenseKeyForBrowser({ licenseKey: undefined, cacheDir: undefined }), undefined);
  await Deno.writeTextFile(join(cacheDir, "license.key"), "  \n");
  assert.equal(await readLicenseFile(cacheDir), undefined);
  await Deno.remove(cacheDir, { recursive: true });
});
