/**
 * From the words of the command line to a command and its flags. What the value of a flag means is for `settings` to
 * judge.
 */

import { Argument, Command, CommanderError, Help, Option } from "commander";
import { AppError } from "../errors.ts";
import type { FlagOccurrence } from "../settings/upstream_options.ts";
import {
  COMMAND_FLAGS,
  type CommandName,
  COMMANDS,
  INSTALL_FLAGS,
  type InstallFlag,
  JSON_COMMANDS,
  LICENSE_ACTIONS,
  type LicenseAction,
  PROGRAM,
  type Shell,
  SHELLS,
} from "./commands.ts";
import { type DeclaredFlag, declareFlags } from "./declared_flags.ts";
import { afterCommandHelp, afterHelp } from "./help_text.ts";
import { GROUP_TITLES } from "./option_text.ts";
import { parserError } from "./parser_error.ts";

export interface CommandLine {
  readonly command: CommandName | "serve";
  /** Flags in order; a variadic flag occurs once per value. */
  readonly flags: readonly FlagOccurrence[];
  readonly json: boolean;
  /** Set for `doctor` with `--deep`. */
  readonly deep?: boolean;
  /** Set for `completions`. */
  readonly shell?: Shell;
  /** Set for `license`. */
  readonly licenseAction?: LicenseAction;
  /** Set for `install`, where any of its flags is given. */
  readonly install?: readonly InstallFlag[];
  /** Set for `help`: the text to print. */
  readonly help?: string;
}

const HELP_COLUMNS = 100;

/**
 * @param columns width of the help
 * @throws {AppError} `usage`, one line that says what is wrong and what was probably meant
 */
export function parseCommandLine(argv: readonly string[], columns: number = HELP_COLUMNS): CommandLine {
  const declared = declareFlags();
  const flags: FlagOccurrence[] = [];
  let help = "";
  let command: CommandName | "serve" = "serve";
  let shell: Shell | undefined;
  let licenseAction: LicenseAction | undefined;

  const program = createProgram(declared, columns, (text) => help += text);
  for (const { flag } of declared) {
    program.on(`option:${flag.name()}`, (value?: string) => {
      flags.push(value === undefined ? { flag: longOf(flag) } : { flag: longOf(flag), value });
    });
  }
  program.action(() => {});
  for (const name of Object.keys(COMMANDS) as CommandName[]) {
    const sub = program.command(name).description(COMMANDS[name])
      .configureHelp(helpOf(declared, COMMAND_FLAGS[name] ?? []))
      .addHelpText("after", afterCommandHelp());
    if (name === "completions") {
      sub.addArgument(new Argument("<shell>", "the shell").choices(SHELLS));
    }
    if (name === "license") {
      sub.addArgument(
        new Argument("<action>", "what to do with the key").choices(LICENSE_ACTIONS),
      );
    }
    sub.action((argument: unknown) => {
      if (name === "help") program.outputHelp();
      command = name;
      shell = SHELLS.find((known) => known === argument);
      licenseAction = LICENSE_ACTIONS.find((known) => known === argument);
    });
  }

  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { command: "help", flags: [], json: false, help };
    const known = [...declared.map(({ flag }) => longOf(flag)), "--help"];
    const switches = declared.filter(({ flag }) => !flag.required).map(({ flag }) => longOf(flag));
    throw parserError(error, known, switches);
  }
  return applyProgramFlags({
    command,
    flags,
    json: false,
    ...(shell && { shell }),
    ...(licenseAction && { licenseAction }),
    ...(help && { help }),
  });
}

function createProgram(
  declared: readonly DeclaredFlag[],
  columns: number,
  writeOut: (text: string) => void,
): Command {
  const program = new Command(PROGRAM)
    .description(
      "MCP server that drives a real Chromium, CloakBrowser, with the tools of Playwright MCP over stdio\n" +
        "or Streamable HTTP. Takes every option of @playwright/mcp.",
    )
    .usage("[options] [command]")
    .exitOverride()
    .addHelpOption(new Option("-h, --help", "Show this help").helpGroup(`${GROUP_TITLES.general}:`))
    .helpCommand(false)
    .configureHelp(helpOf(declared))
    .configureOutput({ getOutHelpWidth: () => columns, writeOut, writeErr: () => {} })
    .addHelpText("after", afterHelp());
  for (const { flag } of declared) program.addOption(flag);
  return program;
}

/** @param shown flags of the program that the help of a command repeats */
function helpOf(declared: readonly DeclaredFlag[], shown: readonly string[] = []): Partial<Help> {
  const terms = new Map(declared.map(({ flag, term }) => [flag, term]));
  const repeated = declared.map(({ flag }) => flag).filter((flag) => shown.includes(flag.long ?? ""));
  return {
    optionTerm: (flag) => terms.get(flag) ?? flag.flags,
    visibleOptions: (command) => [...new Help().visibleOptions(command), ...repeated],
  };
}

function applyProgramFlags(line: CommandLine): CommandLine {
  const has = (name: string): boolean => line.flags.some(({ flag }) => flag === name);
  const command = has("--version") ? "version" : line.command;
  const json = has("--json");
  const deep = has("--deep");
  if (json && !JSON_COMMANDS.includes(command)) {
    throw new AppError(
      "usage",
      `Cannot use --json here: it goes with --version and the commands ${JSON_COMMANDS.join(", ")}`,
      {
        remedy: `See "${PROGRAM} --help"`,
      },
    );
  }
  if (deep && command !== "doctor") throw unfit("--deep", "the command doctor");
  const install = (Object.keys(INSTALL_FLAGS) as InstallFlag[]).filter(has);
  checkInstallFlags(command, json, install);
  if (json && command === "license" && line.licenseAction !== "info") throw unfit("--json", "license info");
  // Flags that say what to do and how to print it; they are no settings.
  const ofProgram: readonly string[] = ["--version", "--json", "--deep", ...install];
  return {
    ...line,
    command,
    json,
    ...(deep && { deep }),
    ...(install.length > 0 && { install }),
    flags: line.flags.filter(({ flag }) => !ofProgram.includes(flag)),
  };
}

function checkInstallFlags(command: string, json: boolean, install: readonly InstallFlag[]): void {
  const [first] = install;
  if (first !== undefined && command !== "install") throw unfit(first, "install");
  const checks = install.includes("--check");
  if (checks && install.length > 1) {
    const other = install.find((flag) => flag !== "--check");
    throw new AppError("usage", `Cannot use --check and ${other} together`, { remedy: "Leave one out" });
  }
  if (json && command === "install" && !checks) throw unfit("--json", "install --check");
}

function unfit(flag: string, place: string): AppError {
  return new AppError("usage", `Cannot use ${flag} here: it goes with ${place}`, {
    remedy: `See "${PROGRAM} --help"`,
  });
}

function longOf(flag: DeclaredFlag["flag"]): string {
  return flag.long ?? flag.flags;
}
