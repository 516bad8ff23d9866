import assert from "node:assert/strict";
import { install } from "../../../src/cli/commands/install.ts";
import { AppError } from "../../../src/errors.ts";
import { settle } from "../../settings/settle.ts";

function capture(): {
  output: { stdout: (text: string) => void; stderr: (text: string) => void };
  texts: { stdout: string; stderr: string };
} {
  const texts = { stdout: "", stderr: "" };
  return {
    texts,
    output: { stdout: (text) => texts.stdout += text, stderr: (text) => texts.stderr += text },
  };
}

Deno.test("install() prints progress on standard error and only the path on standard output", async () => {
  const { texts, output } = capture();
  await install(await settle({}), output, {}, (_settings, log, onProgress) => {
    log.warn("the same as progress");
    onProgress({ message: "Downloading" });
    onProgress({ message: "Downloading" });
    onProgress({ message: "Download progress: 10%", percent: 10 });
    onProgress({ message: "Extracting" });
    return Promise.resolve({ executablePath: "/cache/chrome", downloaded: true });
  });
  assert.deepEqual(texts, { stdout: "/cache/chrome\n", stderr: "Downloading\nExtracting\n" });
});

Deno.test("install() says when there is nothing to download", async () => {
  const { texts, output } = capture();
  await install(
    await settle({}),
    output,
    {},
    () => Promise.resolve({ executablePath: "/c", downloaded: false }),
  );
  assert.equal(texts.stdout, "/c\n");
  assert.match(texts.stderr, /Nothing to download/);
});

Deno.test("install() logs what the user asks for, without secrets", async () => {
  const { texts, output } = capture();
  const resolved = await settle({
    flags: [{ flag: "--log-level", value: "debug" }],
    env: { CLOAKBROWSER_LICENSE_KEY: "s3cret-key" },
  });
  await install(resolved, output, {}, (_settings, log) => {
    log.debug("with s3cret-key");
    return Promise.resolve({ executablePath: "/c", downloaded: true });
  });
  assert.match(texts.stderr, /DEBUG .*with <hidden>/);
});

Deno.test("install() passes the failure on", async () => {
  const { output } = capture();
  const failure = new AppError("browser_unavailable", "Cannot download");
  await assert.rejects(install(await settle({}), output, {}, () => Promise.reject(failure)), failure);
});
