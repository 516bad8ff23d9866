import assert from "node:assert/strict";
import { isDownloadFailure, outputPath } from "../../scripts/build.ts";
import { refusal } from "../../scripts/build/registry_lane.ts";
import { DENO_VERSION } from "../../scripts/build/toolchain.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("outputPath() is dist/cloakbrowser-mcp here, with the target's name for another system", () => {
  assert.equal(outputPath(undefined, "x86_64-unknown-linux-gnu"), "dist/cloakbrowser-mcp");
  assert.equal(outputPath(undefined, "x86_64-pc-windows-msvc"), "dist/cloakbrowser-mcp.exe");
  assert.equal(outputPath("aarch64-apple-darwin"), "dist/cloakbrowser-mcp-aarch64-apple-darwin");
  assert.equal(outputPath("x86_64-pc-windows-msvc"), "dist/cloakbrowser-mcp-x86_64-pc-windows-msvc.exe");
});

Deno.test("isDownloadFailure() tells a denort that cannot be had from a program that cannot be compiled", () => {
  const download = `Caused by:
    0: Setting up base binary.
    1: error sending request for url (https://host.example/release/v2.9.6/denort-x86_64-unknown-linux-gnu.zip): dns error`;
  assert.ok(isDownloadFailure(download));
  assert.ok(!isDownloadFailure('error: Module not found "file:///project/src/denort.ts"'));
});

Deno.test("refusal() lets the registry lane build for its own target alone", () => {
  assert.equal(refusal("x86_64-unknown-linux-gnu"), undefined);
  assert.match(refusal("aarch64-unknown-linux-gnu") ?? "", /not for aarch64-unknown-linux-gnu/);
});

Deno.test("DENO_VERSION is the version that README and CI run", async () => {
  for (const file of ["README.md", ".ci/run"]) {
    const named = (await Deno.readTextFile(new URL(file, ROOT))).matchAll(/\bdeno@(\d+\.\d+\.\d+)/g);
    const versions = Array.from(named, ([, version]) => version);
    assert.ok(versions.length > 0, file);
    assert.deepEqual([...new Set(versions)], [DENO_VERSION], file);
  }
});
