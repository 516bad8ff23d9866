import { type Check, error, ok, warning } from "../check.ts";

/** What keeps a server from starting, and what its log would warn of. */
export const SETTINGS_CHECK: Check = {
  name: "settings",
  boundMs: 1000,
  run({ resolved, problems }): ReturnType<Check["run"]> {
    const { settings, notices } = resolved;
    const findings = [
      ...problems.map((problem) => error(problem, 'Correct it; "cloakbrowser-mcp --help" lists the options')),
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
