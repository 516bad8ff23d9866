import { resolve } from "node:path";
import { keptProfile } from "../../browser/private_profile.ts";
import { readProfileState } from "../../browser/profile_state.ts";
import type { SingletonHolder } from "../../browser/singleton_lock.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { type Check, type CheckResult, error, ok, skipped } from "../check.ts";
import type { Finding } from "../report.ts";

/** Whether the profile that the settings name is free; it is not made, and its lock is left alone. */
export const PROFILE_CHECK: Check = {
  name: "profile",
  boundMs: 5000,
  async run({ resolved, env, cwd, config }): Promise<CheckResult> {
    const { settings } = resolved;
    const named = settings.upstreamCommand === undefined ? keptProfile(settings, env, config) : undefined;
    if (named === undefined) {
      return { findings: [skipped("Not applicable: the settings name no profile directory")] };
    }
    const path = resolve(cwd, named);
    let info: Deno.FileInfo;
    try {
      info = await Deno.stat(path);
    } catch (cause) {
      if (cause instanceof Deno.errors.NotFound) {
        return {
          findings: [ok(`Nobody has "${path}"; it is not there yet`)],
          details: { path, held: false },
        };
      }
      const remedy = "Correct its permissions, or choose another --user-data-dir";
      return {
        findings: [error(`Cannot use "${path}" as profile directory: ${describeFileFault(cause)}`, remedy)],
        details: { path },
      };
    }
    if (!info.isDirectory) {
      const remedy = "Choose another --user-data-dir";
      return {
        findings: [error(`Cannot use "${path}" as profile directory: it is no directory`, remedy)],
        details: { path },
      };
    }
    const state = await readProfileState(path);
    const details = {
      path,
      held: state.held,
      owner: state.owner ?? null,
      browser: state.browser === undefined ? null : { ...state.browser },
    };
    if (state.held) {
      const owner = state.owner === undefined ? "" : ` by ${state.owner}`;
      const remedy = "End that session first, or choose another --user-data-dir";
      return { findings: [error(`Profile "${path}" is in use${owner}`, remedy)], details };
    }
    if (state.browser !== undefined) return { findings: [judgeBrowser(path, state.browser)], details };
    return { findings: [ok(`"${path}" is free`)], details };
  },
};

function judgeBrowser(path: string, { host, pid, here }: SingletonHolder): Finding {
  if (here) {
    return error(
      `Profile "${path}" is in use by the browser with process id ${pid}`,
      "Close that browser, or choose another --user-data-dir",
    );
  }
  return error(
    `Profile "${path}" is marked as in use by a browser on host "${host}" (process id ${pid})`,
    "End that browser, or, where it is gone for certain, remove SingletonLock from the profile; or choose " +
      "another --user-data-dir",
  );
}
