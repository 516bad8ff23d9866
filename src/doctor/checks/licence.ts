import { homedir } from "node:os";
import { join } from "node:path";
import { readLicenseFile } from "../../browser/license_key.ts";
import { describeOrigin } from "../../settings/origin.ts";
import { type Check, type CheckResult, ok, skipped } from "../check.ts";
import type { DoctorWorld } from "../world.ts";

/** Whether there is a CloakBrowser licence key; whether it is valid only CloakBrowser's own server can tell. */
export const LICENCE_CHECK: Check = {
  name: "licence",
  boundMs: 5000,
  async run(world): Promise<CheckResult> {
    const { settings, origins } = world.resolved;
    const subject = await world.subject().catch(() => undefined);
    if (subject !== undefined && subject.engine !== "cloak") {
      return { findings: [skipped("Not applicable: the browser is no CloakBrowser")] };
    }
    const tier = subject?.cloakbrowser?.tier ?? null;
    const edition = subject?.source === "cloakbrowser" && tier !== null
      ? `; the ${tier} edition is ${subject.cloakbrowser?.installed ? "installed" : "not installed yet"}`
      : "";
    if (settings.licenseKey !== undefined) {
      const from = describeOrigin(origins.licenseKey);
      return {
        findings: [ok(`A key is set (${from}); it was not sent anywhere to be checked${edition}`)],
        details: { key: "set", tier },
      };
    }
    const directory = cacheDirectory(world);
    const stored = directory !== undefined && await readLicenseFile(directory) !== undefined;
    const finding = ok(
      stored
        ? `A key was stored by a login in "${directory}"; it was not sent anywhere to be checked${edition}`
        : `There is no key, and the free edition needs none${edition}`,
    );
    return { findings: [finding], details: { key: stored ? "stored" : "none", tier } };
  },
};

/** Undefined for a user without a home. */
function cacheDirectory({ resolved, env }: DoctorWorld): string | undefined {
  const named = resolved.settings.cacheDir ?? env["CLOAKBROWSER_CACHE_DIR"];
  if (named !== undefined) return named;
  const home: string | null = homedir();
  return home === null ? undefined : join(home, ".cloakbrowser");
}
