import assert from "node:assert/strict";
import { classifyFailure, downloadError } from "../../src/browser/download_failure.ts";

Deno.test("classifyFailure() takes network and platform for unavailable", () => {
  for (
    const error of [
      new TypeError("error sending request for url (https://host/x): client error (Connect): dns error"),
      new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
      new Error("Download failed: HTTP 503 Service Unavailable"),
      new DOMException("The signal has been aborted", "AbortError"),
      new Error("Unsupported platform: win32 arm64. Supported: linux-x64"),
      new Error(
        "CloakBrowser Pro: license could not be validated (server unreachable and no cached validation).",
      ),
    ]
  ) assert.equal(classifyFailure(error), "unavailable", error.message);
});

Deno.test("classifyFailure() takes everything about signatures and checksums for unverified", () => {
  const named = new Error("mismatch");
  named.name = "BinaryVerificationError";
  for (
    const error of [
      named,
      new Error("SHA256SUMS signature verification failed"),
      new Error("Checksum verification failed!\n  Expected: 00\n  Got: 11"),
      new Error("Version mismatch in signed SHA256SUMS: requested 1, manifest declares 2"),
      new Error("Could not fetch a signed SHA256SUMS for this release (fetch failed)"),
      new Error("Pro binary unavailable", { cause: new Error("Checksum verification failed!") }),
    ]
  ) assert.equal(classifyFailure(error), "unverified", error.message);
});

Deno.test("classifyFailure() takes machine and licence for neither", () => {
  for (
    const error of [
      new Error("EACCES: permission denied, mkdir '/cache'"),
      new Error("CloakBrowser Pro: license key is invalid or expired (plan=none)."),
      new Error("ENOSPC: no space left on device"),
      new Error("zlib: unexpected end of file"),
      "Cannot assign requested address",
    ]
  ) assert.equal(classifyFailure(error), "other", String(error));
});

Deno.test("downloadError() says version, platform, hosts and every cause, on one line and without credentials", () => {
  const cause = new Error("Primary failed\n  at https://u:p@host/x", {
    cause: new Error("connection reset"),
  });
  const error = downloadError(
    { version: "1.2.3.4", platform: "linux-x64", hosts: ["a.test", "b.test"] },
    cause,
  );
  assert.equal(error.code, "browser_unavailable");
  assert.equal(error.exitStatus, 3);
  assert.equal(
    error.message,
    "Cannot get CloakBrowser 1.2.3.4 for linux-x64 from a.test and b.test: " +
      "Primary failed at https://host/x: connection reset",
  );
});
