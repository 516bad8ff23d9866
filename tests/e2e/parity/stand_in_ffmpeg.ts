/**
 * Stands in for the ffmpeg that Playwright downloads for its videos: keeps the frames that it is fed with.
 */
import { playwrightMcpFolder } from "../../harness/peers.ts";

const SCRIPT = `#!/bin/sh
for file; do :; done
exec cat > "$file"
`;

/** @param home of the user for whom it is installed */
export async function installStandInFfmpeg(home: string): Promise<void> {
  const list = JSON.parse(
    await Deno.readTextFile(`${await playwrightMcpFolder()}/playwright-core/browsers.json`),
  );
  const { revision } = list.browsers.find(({ name }: { name: string }) => name === "ffmpeg");
  const folder = `${home}/.cache/ms-playwright/ffmpeg-${revision}`;
  await Deno.mkdir(folder, { recursive: true });
  for (const name of ["ffmpeg-linux", "ffmpeg-linux-arm64"]) {
    await Deno.writeTextFile(`${folder}/${name}`, SCRIPT, { mode: 0o755 });
  }
}
