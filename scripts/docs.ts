/**
 * Writes the documents that come from the option table and from the packages; with `--check` it only tells whether they are stale.
 */

import { COMMANDS, PROGRAM } from "../src/cli/commands.ts";
import { EXIT_STATUSES } from "../src/cli/exit_status.ts";
import {
  defaultOf,
  flagTerm,
  GROUP_TITLES,
  PLAYWRIGHT_TITLE,
  upstreamTerm,
  upstreamVariable,
  variablesOf,
} from "../src/cli/option_text.ts";
import { GROUPS, type Option, secretFileNames } from "../src/settings/option.ts";
import { optionRows } from "../src/settings/option_table.ts";
import { upstreamFileKey } from "../src/settings/upstream_file.ts";
import { SESSION_META_KEYS, sessionOptionKeys } from "../src/settings/session_options.ts";
import { UPSTREAM_FLAGS, type UpstreamFlag } from "../src/settings/upstream_flags.ts";
import { UPSTREAM_PACKAGE, UPSTREAM_VERSION } from "../src/version.ts";
import { settingsSchema } from "./settings_schema.ts";
import { thirdPartyPage } from "./third_party.ts";

/** Generated documents by their path from the root of the project. */
export function generatedDocuments(): ReadonlyMap<string, string> {
  return new Map([
    ["docs/configuration.md", configurationPage()],
    ["docs/settings.schema.json", `${JSON.stringify(settingsSchema(), null, 2)}\n`],
  ]);
}

function configurationPage(): string {
  return [
    "# Configuration",
    "",
    "<!-- Generated from the option table by `deno task docs`; edit src/settings/options/ instead. -->",
    "",
    "Every option can be given as a flag, as an environment variable and in a settings file. A flag wins over the",
    "environment, the environment over the settings file, and that over the default. Only the value that wins is judged.",
    `\`${PROGRAM} config\` prints what is in effect and where each value came from, \`${PROGRAM} config --json\` the same for`,
    "programs.",
    "",
    "## How values are written",
    "",
    ...GRAMMARS.map(([kind, form]) => `* **${kind}**: ${form}`),
    "",
    "Text in variables and flags may have blanks around it. A variable that is set but empty is a value, and a wrong one",
    "for everything but lists.",
    "",
    "## Settings file",
    "",
    "`--settings FILE` or `CLOAK_PLAYWRIGHT_MCP_SETTINGS` names a file of JSON with comments and trailing commas. Its keys",
    "are in the tables below; `$schema` may name `settings.schema.json`, which lies beside this page. Unknown keys are",
    "errors. Flags of Playwright MCP stand under `upstream`, in camelCase or as on the command line.",
    "",
    "```jsonc",
    "{",
    '  "browserEngine": "auto",',
    '  "extraArgs": ["--window-size=1280,720"],',
    '  "upstream": { "caps": ["pdf", "vision"], "timeoutAction": 10000, "webmcp": false }, // Playwright MCP',
    "}",
    "```",
    "",
    "A secret can stand in a file of its own, named by a variable that ends in `_FILE`, a flag that ends in `-file` or a",
    "key that ends in `File`; blanks and line ends around it are ignored.",
    "",
    ...GROUPS.flatMap((group) => {
      const rows = optionRows().filter(([, option]) => option.group === group);
      return [
        `## ${GROUP_TITLES[group]}`,
        "",
        ...table(OPTION_COLUMNS, rows.map(([key, option]) => optionCells(key, option))),
        "",
      ];
    }),
    `## ${PLAYWRIGHT_TITLE}`,
    "",
    `Every flag of \`${UPSTREAM_PACKAGE}\` ${UPSTREAM_VERSION} is accepted as \`--flag value\` and \`--flag=value\` and handed on.`,
    `Their keys stand under \`upstream\` in the settings file. ${flagList((row) => row.ours !== undefined)}`,
    "are options of this program and stand in the tables above.",
    "",
    ...table(["Flag", "Variable", "Key", "Meaning"], UPSTREAM_FLAGS.filter(isShown).map(upstreamCells)),
    "",
    "Upstream's own HTTP server never runs: `--port` and `PLAYWRIGHT_MCP_PORT` start the one of this program, and",
    `${
      flagList((row) => row.refused === true)
    } is refused, because every HTTP session has a browser of its own.`,
    `${flagList((row) => row.hidden === true)} are accepted, but not for new command lines.`,
    "",
    "With `--browser-engine cloak` or `auto` a Chromium runs: `--browser firefox` and `webkit` are refused, the names of",
    "Chromium's channels are accepted and noted in the log.",
    "",
    "## Options of one session",
    "",
    "Over HTTP a client sets these for its own session, in the metadata of `initialize`, unless",
    "`--session-options-allow` forbids it:",
    "",
    "```json",
    `{ "method": "initialize", "params": { "_meta": { ${
      JSON.stringify(SESSION_META_KEYS[1])
    }: { "headless": false } } } }`,
    "```",
    "",
    `Fields: ${sessionOptionKeys().map(code).join(", ")}. ${
      code(SESSION_META_KEYS[0])
    } is another name for the key`,
    `${code(SESSION_META_KEYS[1])}; where both are there, fields of the latter win.`,
    "",
    "## Commands",
    "",
    `Without a command \`${PROGRAM}\` serves MCP on its standard input and output, or over HTTP with`,
    "`--transport streamable-http`.",
    "",
    ...table(
      ["Command", "What it does"],
      Object.entries(COMMANDS).map(([name, summary]) => [code(name), summary]),
    ),
    "",
    "## Exit status",
    "",
    ...table(["Status", "Meaning"], EXIT_STATUSES.map(([status, meaning]) => [String(status), meaning])),
    "",
  ].join("\n");
}

const GRAMMARS: readonly (readonly [kind: string, form: string])[] = [
  [
    "boolean",
    "`true` or `false` in any case; `1`, `yes` and `on` are refused. As a flag: `--x` or `--no-x`, the last one holds",
  ],
  ["integer", "an optional minus and digits, within the range of the option"],
  ["choice", "one of the named words"],
  [
    "path",
    "relative ones start from the working directory; in the settings file from the directory of that file",
  ],
  ["list", "items with commas between them, or a JSON array of strings; a repeated flag adds to it"],
  ["object", "a JSON object"],
  ["command", "a JSON array of strings: program and arguments, no shell"],
];

const OPTION_COLUMNS = ["Flag", "Variable", "Key", "Type", "Default", "Meaning"];

function optionCells(key: string, option: Option): string[] {
  const term = flagTerm(key, option);
  const keys = option.inFile === false ? [] : option.secret ? [key, secretFileNames(key, option).key] : [key];
  const byDefault = defaultOf(option);
  return [
    [term, ...secretFileTerm(key, option)].filter((text) => text !== "").map(code).join("<br>"),
    variablesOf(key, option).map(codeWithRemark).join("<br>"),
    keys.map(code).join("<br>"),
    typeOf(option),
    byDefault === undefined ? "" : option.defaultText === undefined ? code(byDefault) : byDefault,
    option.help +
    (option.aliases === undefined ? "" : `. Also ${option.aliases.map(code).join(", ")}`) +
    (option.secret ? ". Secret: never printed or logged" : ""),
  ];
}

/** The flag for the file, where it stands beside a flag for the secret itself. */
function secretFileTerm(key: string, option: Option): string[] {
  if (!option.secret || option.flag === undefined) return [];
  return [`${secretFileNames(key, option).flag} <file>`];
}

function typeOf(option: Option): string {
  if (option.type === "integer") return `integer, ${option.min} to ${option.max}`;
  if (option.type === "choice") return option.choices.map(code).join(", ");
  return option.type === "paths" ? "paths" : option.type;
}

function isShown(row: UpstreamFlag): boolean {
  return row.ours === undefined && row.refused === undefined && row.hidden === undefined;
}

function upstreamCells(row: UpstreamFlag): string[] {
  return [
    code(upstreamTerm(row)),
    row.env === undefined ? "" : code(upstreamVariable(row)),
    code(upstreamFileKey(row)),
    row.help + (row.choices === undefined ? "" : `: ${row.choices.map(code).join(", ")}`),
  ];
}

function flagList(wanted: (row: UpstreamFlag) => boolean): string {
  const flags = UPSTREAM_FLAGS.filter(wanted).map(({ flag }) => code(flag));
  return flags.length < 2
    ? flags.join("")
    : `${flags.slice(0, -1).join(", ")} and ${flags.slice(-1).join("")}`;
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)];
}

function code(text: string): string {
  return `\`${text}\``;
}

/** `NAME (inverted)` with only the name as code. */
function codeWithRemark(text: string): string {
  return text.replace(/^\S+/, code);
}

async function writeDocuments(checkOnly: boolean): Promise<number> {
  const root = new URL("../", import.meta.url);
  const stale: string[] = [];
  const documents = [
    ...generatedDocuments(),
    ["THIRD_PARTY_LICENSES.md", await thirdPartyPage(root)] as const,
  ];
  for (const [path, text] of documents) {
    const url = new URL(path, root);
    const present = await Deno.readTextFile(url).catch(() => undefined);
    if (present === text) continue;
    stale.push(path);
    if (!checkOnly) await Deno.writeTextFile(url, text);
  }
  const line = stale.length === 0
    ? "The documents are up to date"
    : checkOnly
    ? `Stale: ${stale.join(", ")}. Run "deno task docs" and commit the result`
    : `Written: ${stale.join(", ")}`;
  await Deno.stdout.write(new TextEncoder().encode(`${line}\n`));
  return checkOnly && stale.length > 0 ? 1 : 0;
}

if (import.meta.main) Deno.exit(await writeDocuments(Deno.args.includes("--check")));
