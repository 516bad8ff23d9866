/** A real browser whose console events do not get out, as CloakBrowser may keep them back. */
import type { BrowserFolder } from "./browser_folder.ts";
import { testBrowserPath } from "./test_browser.ts";

/**
 * Writes a program that runs the browser of the tests and takes the console events out of what it writes to its pipe
 * (file descriptor 4, messages end with NUL).
 *
 * @returns its path
 */
export async function muteBrowser(folder: BrowserFolder): Promise<string> {
  const path = folder.write(
    "mute-browser",
    `#!/bin/bash
exec 5>&4
exec '${await testBrowserPath()}' "$@" 4> >(
  exec sed --null-data --unbuffered '/"method":"Runtime.consoleAPICalled"/d' >&5 3>&- 4>&- 5>&-
) 5>&-
`,
  );
  await Deno.chmod(path, 0o755);
  return path;
}
