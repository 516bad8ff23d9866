/**
 * Puts the doctor together: the machine, the checks, and for the deep one the bridge of a real server.
 */
import { findInstalledChrome } from "../browser/installed_chrome.ts";
import { createBrowserResolver } from "../browser/resolver.ts";
import type { JsonObject } from "../browser/upstream_option.ts";
import { BROWSER_CHECK } from "../doctor/checks/browser.ts";
import { CDP_CHECK } from "../doctor/checks/cdp.ts";
import { createDeepCheck } from "../doctor/checks/deep.ts";
import { DIRECTORIES_CHECK } from "../doctor/checks/directories.ts";
import { DISPLAY_CHECK } from "../doctor/checks/display.ts";
import { EXECUTABLE_CHECK } from "../doctor/checks/executable.ts";
import { FONTS_CHECK } from "../doctor/checks/fonts.ts";
import { HTTP_CHECK } from "../doctor/checks/http.ts";
import { LIBRARIES_CHECK } from "../doctor/checks/libraries.ts";
import { LICENCE_CHECK } from "../doctor/checks/licence.ts";
import { PROFILE_CHECK } from "../doctor/checks/profile.ts";
import { PROXY_CHECK } from "../doctor/checks/proxy.ts";
import { SANDBOX_CHECK } from "../doctor/checks/sandbox.ts";
import { SETTINGS_CHECK } from "../doctor/checks/settings.ts";
import { SHARED_MEMORY_CHECK } from "../doctor/checks/shared_memory.ts";
import type { Check } from "../doctor/check.ts";
import { createReport, type DoctorReport } from "../doctor/report.ts";
import { runChecks } from "../doctor/run_checks.ts";
import { runProgram } from "../doctor/run_program.ts";
import { findSubject, type Subject } from "../doctor/subject.ts";
import type { DoctorWorld, Versions } from "../doctor/world.ts";
import { AppError, messageOf } from "../errors.ts";
import { createPrivateDirectory, privateRoot, temporaryRoot } from "../platform/private_directory.ts";
import { VirtualDisplay } from "../platform/virtual_display.ts";
import { listenForEnd, signalExitStatus } from "../platform/signals.ts";
import type { JudgedSettings } from "../settings/resolve_settings.ts";
import { secretValues } from "../settings/secrets.ts";
import { sendConsoleToLog } from "../telemetry/console_capture.ts";
import { createLogger, type Logger } from "../telemetry/log.ts";
import { createRedactor } from "../telemetry/redact.ts";
import { readUserConfig } from "../upstream/user_config.ts";
import { openBridge, PRIVATE_PREFIX } from "./bridge_factory.ts";

export interface DoctorRequest {
  readonly judged: JudgedSettings;
  /** More that keeps a server from starting. */
  readonly problems: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly versions: Versions;
  /** Whether the browser is launched. */
  readonly deep: boolean;
  readonly stderr: (text: string) => void;
}

/** Looks at files, starts programs for a moment, opens nothing to the outside. */
const CHECKS: readonly Check[] = [
  EXECUTABLE_CHECK,
  SETTINGS_CHECK,
  BROWSER_CHECK,
  LIBRARIES_CHECK,
  FONTS_CHECK,
  SANDBOX_CHECK,
  SHARED_MEMORY_CHECK,
  PROFILE_CHECK,
  DIRECTORIES_CHECK,
  DISPLAY_CHECK,
  HTTP_CHECK,
  CDP_CHECK,
  PROXY_CHECK,
  LICENCE_CHECK,
];

/**
 * @returns the report, or the exit status where a signal has ended it
 */
export async function runDoctor(request: DoctorRequest): Promise<DoctorReport | number> {
  const log = openLog(request);
  // Standard output belongs to the report, and the package of the browser prints.
  sendConsoleToLog(log);
  const { world, deepCheck } = await createWorld(request, log);
  const stop = new AbortController();
  using signals = listenForEnd((exitStatus) => Deno.exit(exitStatus));
  let ended: string | undefined;
  void signals.first.then((signal) => {
    ended = signal;
    stop.abort();
  });
  const checks = await runChecks(CHECKS, world, stop.signal);
  // Last and alone: its times are not to be those of a machine that is busy with the others.
  if (request.deep && ended === undefined) checks.push(...await runChecks([deepCheck], world, stop.signal));
  return ended === undefined ? createReport(checks, request.deep) : signalExitStatus(ended);
}

async function createWorld(
  { judged, problems, env, cwd, versions }: DoctorRequest,
  log: Logger,
): Promise<{ world: DoctorWorld; deepCheck: Check }> {
  const { resolved } = judged;
  const { settings, origins } = resolved;
  const found = [...judged.problems, ...problems];
  let config: JsonObject = {};
  try {
    config = await readUserConfig(settings.upstreamConfigPath);
  } catch (error) {
    // A file that is not there is among the problems already.
    if (!found.some((problem) => problem.includes(settings.upstreamConfigPath ?? ""))) {
      found.push(error instanceof AppError ? error.message : messageOf(error));
    }
  }
  const resolver = createBrowserResolver(settings, env, log, {
    readUserConfig: () => Promise.resolve(config),
  });
  let subject: Promise<Subject> | undefined;
  const world: DoctorWorld = {
    resolved,
    problems: found,
    env,
    cwd,
    config,
    versions,
    os: Deno.build.os,
    arch: Deno.build.arch,
    uid: Deno.uid(),
    run: runProgram,
    subject: () => subject ??= findSubject(resolver, settings, () => findInstalledChrome(env)),
  };
  const tempRoot = await privateRoot(temporaryRoot(env));
  const redact = createRedactor(secretValues(settings));
  const display = new VirtualDisplay({ tempRoot, prefix: PRIVATE_PREFIX });
  const deepCheck = createDeepCheck({
    openDirectory: () => createPrivateDirectory({ tempRoot, prefix: PRIVATE_PREFIX }),
    openBridge: (configuration, client) =>
      openBridge({ tempRoot, redact, display }, {
        configuration: { ...configuration, origins },
        client,
        log,
        session: "doctor",
      }),
  });
  return { world, deepCheck };
}

/** The findings say what is to be said; the log is for who asks for it. */
function openLog({ judged, stderr }: DoctorRequest): Logger {
  const { settings, origins } = judged.resolved;
  const redact = createRedactor(secretValues(settings));
  return createLogger({
    level: origins.logLevel.kind === "default" ? "silent" : settings.logLevel,
    format: settings.logFormat,
    write: (line) => stderr(`${redact(line)}\n`),
  });
}
