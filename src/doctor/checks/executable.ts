import { type Check, ok } from "../check.ts";

/** What is inside this program; it can find no fault with itself. */
export const EXECUTABLE_CHECK: Check = {
  name: "executable",
  boundMs: 1000,
  run({ versions, resolved }): ReturnType<Check["run"]> {
    const { version, deno, upstream, playwrightCore, cloakbrowser, target, compiled } = versions;
    const { upstreamCommand } = resolved.settings;
    const findings = [
      ok(
        `cloakbrowser-mcp ${version} for ${target}${compiled ? "" : ", run from source"}, with Deno ${deno}`,
      ),
      ok(`@playwright/mcp ${upstream}, playwright-core ${playwrightCore}, cloakbrowser ${cloakbrowser}`),
      ok("It sends no telemetry"),
    ];
    if (upstreamCommand !== undefined) {
      findings.push(ok("Another upstream takes the place of the one inside, as the settings say"));
    }
    return Promise.resolve({ findings, details: { path: Deno.execPath(), ...versions } });
  },
};
