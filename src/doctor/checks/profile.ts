import { resolve } from "node:path";
import { keptProfile } from "../../browser/private_profile.ts";
import { readProfileState } from "../../browser/profile_state.ts";
import { describeFileFault } from "../../settings/file_fault.ts";
import { type Check, type CheckResult, error, ok, skipped, warning } from "../check.ts";

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
      browserPid: state.browserPid ?? null,
      otherHost: state.otherHost ?? null,
    };
    if (state.held) {
      const owner = state.owner === undefined ? "" : ` by ${state.owner}`;
      const remedy = "End that session first, or choose another --user-data-dir";
      return { findings: [error(`Profile "${path}" is in use${owner}`, remedy)], details };
    }
    if (state.browserPid !== undefined) {
      const finding = error(
        `Profile "${path}" is in use by a browser, process ${state.browserPid}, that no server of this kind runs`,
        "Close that browser, or choose another --user-data-dir",
      );
      return { findings: [finding], details };
    }
    if (state.otherHost !== undefined) {
      const finding = warning(
        `Profile "${path}" carries the mark of a browser on "${state.otherHost}"; Chromium may take it for one in use`,
        'If no browser runs there, remove the link "SingletonLock" in it; give a container a --hostname that stays',
      );
      return { findings: [finding], details };
    }
    return { findings: [ok(`"${path}" is free`)], details };
  },
};
