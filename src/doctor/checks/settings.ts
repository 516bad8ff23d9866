import { checkLaunchConflicts } from "../../browser/launch_conflicts.ts";
import { AppError } from "../../errors.ts";
import { type Check, error, ok, warning } from "../check.ts";
import { type DoctorWorld, upstreamSources } from "../world.ts";

/** What keeps a server from starting, and what its log would warn of. */
export const SETTINGS_CHECK: Check = {
  name: "settings",
  boundMs: 1000,
  run(world): ReturnType<Check["run"]> {
    const { resolved: { settings, notices }, problems } = world;
    const findings = [
      ...problems.map((problem) => error(problem, 'Correct it; "cloakbrowser-mcp --help" lists the options')),
      ...launchConflicts(world).map((conflict) =>
        error(conflict, "Change the options: a server with these ends at once")
      ),
      ...notices.map((notice) =>
        warning(notice, '"cloakbrowser-mcp config" shows where each value comes from')
      ),
    ];
    if (problems.length > 0) {
      findings.push(
        warning(
          "The other checks take the default in place of each value that cannot be used",
          "Run the doctor again after correcting the settings",
        ),
      );
    }
    if (findings.length === 0) findings.push(ok(`A server can start with them: ${settings.transport}`));
    return Promise.resolve({
      findings,
      details: { transport: settings.transport, settingsPath: settings.settingsPath ?? null },
    });
  },
};

/** Options that exclude each other for the browser that is brought; another upstream judges its own. */
function launchConflicts(world: DoctorWorld): string[] {
  const { settings } = world.resolved;
  if (settings.upstreamCommand !== undefined) return [];
  try {
    checkLaunchConflicts(settings, upstreamSources(world));
    return [];
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause;
    return cause.message.split("\n");
  }
}
