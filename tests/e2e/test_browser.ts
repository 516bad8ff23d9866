/** Which Chromium the end-to-end tests drive. */
import { findInstalledChrome } from "../../src/browser/installed_chrome.ts";

/**
 * The executable that `CLOAKBROWSER_BINARY_PATH` names, else an installed one.
 *
 * @throws Error when there is none
 */
export async function testBrowserPath(): Promise<string> {
  const named = Deno.env.get("CLOAKBROWSER_BINARY_PATH");
  if (named !== undefined && named !== "") return named;
  const installed = await findInstalledChrome(Deno.env.toObject());
  if (installed !== undefined) return installed;
  throw new Error(
    "Cannot run the end-to-end tests: no Chrome or Chromium is installed. Run `deno task setup`, or name one in " +
      "CLOAKBROWSER_BINARY_PATH",
  );
}
