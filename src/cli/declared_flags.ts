/**
 * The flags of the program, for the parser and for completions: those of the option table, those that only upstream
 * understands, and those of the program itself.
 */

import { Option as Flag } from "commander";
import { INSTALL_FLAGS } from "./commands.ts";
import { envName, GROUPS, negativeFlag, type Option, secretFileNames } from "../settings/option.ts";
import { optionRows } from "../settings/option_table.ts";
import { UPSTREAM_FLAGS, type UpstreamFlag, upstreamFlag } from "../settings/upstream_flags.ts";
import {
  flagTerm,
  GROUP_TITLES,
  optionNotes,
  PLAYWRIGHT_TITLE,
  upstreamNotes,
  upstreamTerm,
} from "./option_text.ts";

export interface DeclaredFlag {
  readonly flag: Flag;
  /** How help names it, where that is not how it is declared. */
  readonly term?: string;
  /** For completions: what it does, and what its value may be. */
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly isPath?: boolean;
}

export function declareFlags(): DeclaredFlag[] {
  const general = `${GROUP_TITLES.general}:`;
  const own = GROUPS.flatMap((group) =>
    optionRows()
      .filter(([, option]) => option.group === group)
      .flatMap(([key, option]) => declareOption(key, option))
  );
  const json = "Print JSON, with --version, config, doctor, version, install --check and license info";
  const deep = "With the command doctor: launch the browser, open a page and take a screenshot";
  const version = "Print the version; with --json what is inside as well";
  return [
    { flag: new Flag("-V, --version", version).helpGroup(general), summary: version },
    { flag: new Flag("--json", json).helpGroup(general), summary: json },
    { flag: new Flag("--deep", deep).helpGroup(general), summary: deep },
    ...Object.entries(INSTALL_FLAGS).map(([name, summary]) => ({
      flag: new Flag(name, summary).helpGroup(general),
      summary,
    })),
    ...own,
    ...UPSTREAM_FLAGS.filter((row) => row.ours === undefined).map(declareUpstreamFlag),
  ];
}

function declareOption(key: string, option: Option): DeclaredFlag[] {
  const heading = `${GROUP_TITLES[option.group]}:`;
  const summary = option.help;
  const help = summary + optionNotes(key, option);
  const { flag } = option;
  const declared: DeclaredFlag[] = [];
  if (flag !== undefined && option.type === "boolean") {
    declared.push({ flag: new Flag(flag, help).helpGroup(heading), term: flagTerm(key, option), summary });
    declared.push({ flag: new Flag(negativeFlag(flag)).hideHelp(), summary: `Opposite of ${flag}` });
  } else if (flag !== undefined) {
    declared.push(...(option.aliases ?? []).map((alias) => declareAlias(alias, flag)));
    declared.push({
      flag: new Flag(flagTerm(key, option), help).helpGroup(heading),
      summary,
      isPath: option.type === "path" || option.type === "paths" ||
        (option.type === "list" && option.paths === true),
      ...(option.type === "choice" && { choices: option.choices }),
    });
  }
  if (option.secret) {
    const file = secretFileNames(key, option);
    const fileSummary = `File that holds this: ${summary}`;
    const notes = ` (env: ${file.env.join(", ")}; the value itself: ${option.env.map(envName).join(", ")})`;
    declared.push({
      flag: new Flag(`${file.flag} <file>`, fileSummary + notes).helpGroup(heading),
      summary: fileSummary,
      isPath: true,
    });
  }
  return declared;
}

/** The form that upstream gives its flag, so that every way of writing it still works. */
function declareAlias(alias: string, flag: string): DeclaredFlag {
  const row = upstreamFlag(alias);
  const summary = `Same as ${flag}`;
  return { flag: new Flag(row === undefined ? alias : upstreamTerm(row), summary).hideHelp(), summary };
}

function declareUpstreamFlag(row: UpstreamFlag): DeclaredFlag {
  const flag = new Flag(upstreamTerm(row), row.help + upstreamNotes(row)).helpGroup(`${PLAYWRIGHT_TITLE}:`);
  return {
    flag: row.hidden || row.refused ? flag.hideHelp() : flag,
    summary: row.hidden || row.refused ? "" : row.help,
    isPath: row.path !== undefined,
    ...(row.choices && { choices: row.choices }),
  };
}
