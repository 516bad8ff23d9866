/**
 * Downloads from the official addresses, which a test cannot serve: `fetch` answers in their place. The package takes
 * its own signing key only, so a signature of the test's cannot be good.
 */

import { createCloakBrowserPackage } from "../../src/browser/cloakbrowser_package.ts";
import { downloadCloakBrowser } from "../../src/browser/download.ts";
import { messageOf } from "../../src/errors.ts";
import { chromeArchive } from "../fixtures/download_host.ts";
import { browserSettings, collectingLog } from "./test_settings.ts";

const [cacheDir = "", signature = ""] = Deno.args;
const archive = await chromeArchive("#!/bin/sh\n");
globalThis.fetch = (input) => {
  const address = String(input);
  if (address.endsWith(".tar.gz")) return Promise.resolve(new Response(archive));
  if (address.endsWith("SHA256SUMS")) return Promise.resolve(new Response("version=1\n"));
  return Promise.resolve(
    signature === "" ? new Response("", { status: 404 }) : new Response(signature),
  );
};
const settings = browserSettings({ cacheDir });
const { log } = collectingLog();
const download = downloadCloakBrowser(createCloakBrowserPackage(settings, log), settings, log, () => {});
const outcome = await download.catch(messageOf);
await Deno.stdout.write(new TextEncoder().encode(outcome));
Deno.exit(0);
