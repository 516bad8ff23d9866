/**
 * The `completions` command: a script that teaches a shell our commands, flags and the values of those that have
 * choices. It is made from the same declarations as the parser.
 */

import { COMMANDS, LICENSE_ACTIONS, PROGRAM, type Shell, SHELLS } from "../commands.ts";
import { type DeclaredFlag, declareFlags } from "../declared_flags.ts";

interface Completion {
  readonly flag: string;
  readonly summary: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly isPath: boolean;
}

/** The script for one shell, to be sourced or put where the shell looks for such scripts. */
export function completionScript(shell: Shell): string {
  const completions = declareFlags().filter(({ summary }) => summary !== "").map(toCompletion);
  const help = { flag: "--help", summary: "Show the help", takesValue: false, choices: [], isPath: false };
  return SCRIPTS[shell]([...completions, help]);
}

function toCompletion({ flag, summary, choices = [], isPath = false }: DeclaredFlag): Completion {
  return { flag: flag.long ?? flag.flags, summary, takesValue: flag.required, choices, isPath };
}

const SCRIPTS: Readonly<Record<Shell, (completions: readonly Completion[]) => string>> = { bash, zsh, fish };

function bash(completions: readonly Completion[]): string {
  const free = completions.filter((each) => each.takesValue && !each.isPath && each.choices.length === 0);
  const words = [...Object.keys(COMMANDS), ...completions.map(({ flag }) => flag)];
  return lines([
    "_cloakbrowser_mcp() {",
    '  local word="${COMP_WORDS[COMP_CWORD]}"',
    '  case "${COMP_WORDS[COMP_CWORD-1]}" in',
    ...completions.filter(({ choices }) => choices.length > 0)
      .map(({ flag, choices }) =>
        `    ${flag}) COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$word")); return ;;`
      ),
    `    completions) COMPREPLY=($(compgen -W "${SHELLS.join(" ")}" -- "$word")); return ;;`,
    `    license) COMPREPLY=($(compgen -W "${LICENSE_ACTIONS.join(" ")}" -- "$word")); return ;;`,
    `    ${
      flagsOf(completions.filter(({ isPath }) => isPath), "|")
    }) COMPREPLY=($(compgen -f -- "$word")); return ;;`,
    `    ${flagsOf(free, "|")}) return ;;`,
    "  esac",
    `  COMPREPLY=($(compgen -W "${words.join(" ")}" -- "$word"))`,
    "}",
    `complete -o filenames -F _cloakbrowser_mcp ${PROGRAM}`,
  ]);
}

function zsh(completions: readonly Completion[]): string {
  return lines([
    `#compdef ${PROGRAM}`,
    "_cloakbrowser_mcp() {",
    "  _arguments \\",
    ...completions.map((each) =>
      `    ${quote(`*${each.flag}[${zshText(each.summary)}]${zshValue(each)}`)} \\`
    ),
    `    ${quote(`1:command:(${Object.keys(COMMANDS).join(" ")})`)} \\`,
    `    ${quote(`2:argument:(${[...SHELLS, ...LICENSE_ACTIONS].join(" ")})`)}`,
    "}",
    `compdef _cloakbrowser_mcp ${PROGRAM}`,
  ]);
}

function zshValue({ takesValue, choices, isPath }: Completion): string {
  if (!takesValue) return "";
  if (choices.length > 0) return `:value:(${choices.join(" ")})`;
  return isPath ? ":path:_files" : ":value: ";
}

/** Brackets and colons end a description in zsh. */
function zshText(text: string): string {
  return text.replace(/[[\]:\\]/g, "\\$&");
}

function fish(completions: readonly Completion[]): string {
  const first = "not __fish_seen_subcommand_from " + Object.keys(COMMANDS).join(" ");
  return lines([
    `complete -c ${PROGRAM} -f`,
    ...Object.entries(COMMANDS)
      .map(([name, summary]) => `complete -c ${PROGRAM} -n ${quote(first)} -a ${name} -d ${quote(summary)}`),
    `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from completions' -a ${quote(SHELLS.join(" "))}`,
    `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from license' -a ${quote(LICENSE_ACTIONS.join(" "))}`,
    ...completions.map((each) =>
      `complete -c ${PROGRAM} -l ${each.flag.slice(2)} -d ${quote(each.summary)}${fishValue(each)}`
    ),
  ]);
}

function fishValue({ takesValue, choices, isPath }: Completion): string {
  if (!takesValue) return "";
  if (choices.length > 0) return ` -x -a ${quote(choices.join(" "))}`;
  return isPath ? " -r -F" : " -x";
}

function flagsOf(completions: readonly Completion[], between: string): string {
  return completions.map(({ flag }) => flag).join(between);
}

/** A word in single quotes, as all three shells read it. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
