import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

async function downloadSigned(signature: string): Promise<{ said: string; left: string[] }> {
  const cacheDir = await Deno.makeTempDir();
  try {
    const script = fileURLToPath(new URL("signature_process.ts", import.meta.url));
    const env = Deno.env.toObject();
    delete env["CLOAKBROWSER_BINARY_PATH"];
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--no-lock", "-A", script, cacheDir, signature],
      clearEnv: true,
      env,
    }).output();
    const left = (await Array.fromAsync(Deno.readDir(cacheDir))).map(({ name }) => name).filter((name) =>
      !name.startsWith(".")
    );
    return { said: new TextDecoder().decode(stdout), left };
  } finally {
    await Deno.remove(cacheDir, { recursive: true });
  }
}

for (
  const [name, signature, reason] of [
    ["a wrong signature", btoa("x".repeat(64)), /signature verification failed/],
    ["a signature that is none", "not base64!", /Malformed SHA256SUMS\.sig/],
    ["no signature", "", /Could not fetch a signed SHA256SUMS/],
  ] as const
) {
  Deno.test(`downloadCloakBrowser() refuses ${name} and leaves nothing`, async () => {
    const { said, left } = await downloadSigned(signature);
    assert.match(said, /^Refused to use CloakBrowser .* its authenticity could not be verified: /);
    assert.match(said, reason);
    assert.deepEqual(left, []);
  });
}
