/**
 * The shape of one row of the option table. Parser, help, settings-file schema, completions and documents all
 * read these rows, so an option is declared once and nowhere else.
 */

/** Who may set an option: the process only, or also one session through its `initialize` metadata. */
export type Scope = "process" | "session";

/** Headings of the help, in the order in which it shows them. */
export const GROUPS = ["general", "http", "browser", "cdp", "upstream", "life", "logging"] as const;
export type Group = (typeof GROUPS)[number];

/** An environment variable that sets an option. */
export type EnvName = string | {
  readonly name: string;
  /** Means the opposite (`NO_…`). */
  readonly inverted?: true;
  /** Empty counts as not set: for variables of Playwright MCP, which takes them so. */
  readonly emptyIsUnset?: true;
};

interface OptionBase {
  /** Long flag, `--like-this`; switches also get `--no-like-this`. Absent where only a file may carry the value. */
  readonly flag?: string;
  /** Other flags with the same meaning: those of Playwright MCP that `upstream_flags.ts` leaves to this option. */
  readonly aliases?: readonly string[];
  /** Variables that set it, the one that wins first. */
  readonly env: readonly EnvName[];
  readonly scope: Scope;
  readonly group: Group;
  /** One or two sentences without a final period. */
  readonly help: string;
  /** What stands for the default in help and documents, where the value alone would not tell. */
  readonly defaultText?: string;
  /** Default that depends on other settings; asked in table order when no source gives a value. */
  readonly derive?: (settings: Readonly<Record<string, unknown>>) => unknown;
  /** Never printed or logged; gets `--…-file`, `…_FILE` and a settings key that ends in `File`. */
  readonly secret?: true;
  /** False where the settings file cannot set it. */
  readonly inFile?: false;
}

interface BooleanOption extends OptionBase {
  readonly type: "boolean";
  readonly default: boolean | undefined;
}

interface IntegerOption extends OptionBase {
  readonly type: "integer";
  readonly default: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly valueName: string;
}

interface ChoiceOption extends OptionBase {
  readonly type: "choice";
  readonly default: string | undefined;
  readonly choices: readonly string[];
  readonly ignoreCase?: true;
  readonly valueName: string;
}

interface TextOption extends OptionBase {
  readonly type: "text";
  readonly default: string | undefined;
  readonly valueName: string;
  /** What is wrong with a value, as the end of "it …"; undefined when nothing is. */
  readonly validate?: (value: string) => string | undefined;
}

/** One path, made absolute against the place where it was written. */
interface PathOption extends OptionBase {
  readonly type: "path";
  readonly default: string | undefined;
  readonly valueName: string;
}

/** Several paths: a flag with several values, one path in the environment, an array in the file. */
interface PathsOption extends OptionBase {
  readonly type: "paths";
  readonly default: readonly string[];
  readonly valueName: string;
}

/** Several strings: comma list or JSON array of strings; a repeated flag adds to the list. */
interface ListOption extends OptionBase {
  readonly type: "list";
  readonly default: readonly string[] | undefined;
  readonly valueName: string;
  /** Items are paths, made absolute against the place where they were written. */
  readonly paths?: true;
  /** Wants at least one item, and none of them blank. */
  readonly filled?: true;
  /** What is wrong with an item, as the end of "it …"; undefined when nothing is. */
  readonly validate?: (item: string) => string | undefined;
}

/** A program and its arguments, as a JSON array of strings: no shell and no splitting at blanks. */
interface CommandOption extends OptionBase {
  readonly type: "command";
  readonly default: readonly string[] | undefined;
  readonly valueName: string;
}

/** A JSON object; that of a session is laid over that of the process, member by member. */
interface ObjectOption extends OptionBase {
  readonly type: "object";
  readonly default: undefined;
  readonly valueName: string;
  /** What is wrong with the object, as the end of "it …"; undefined when nothing is. */
  readonly validate: (value: Readonly<Record<string, unknown>>) => string | undefined;
}

export type Option =
  | BooleanOption
  | IntegerOption
  | ChoiceOption
  | TextOption
  | PathOption
  | PathsOption
  | ListOption
  | CommandOption
  | ObjectOption;

/** Rows by settings key. */
export type OptionTable = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends ChoiceOption ? O["choices"][number]
  : O extends BooleanOption ? boolean
  : O extends IntegerOption ? number
  : O extends ObjectOption ? Readonly<Record<string, unknown>>
  : O extends PathsOption | ListOption | CommandOption ? readonly string[]
  : string;

/** The settings object that a table describes. */
export type SettingsOf<T extends OptionTable> = {
  readonly [K in keyof T]: ValueOf<T[K]> | (undefined extends T[K]["default"] ? undefined : never);
};

/** `userDataDir` → `user-data-dir`. */
export function kebabCase(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** `user-data-dir` → `userDataDir`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The flag that switches a boolean option off. */
export function negativeFlag(flag: string): string {
  return flag.replace(/^--/, "--no-");
}

/** Names of the option that takes a secret from a file instead: flag, settings key and variables. */
export function secretFileNames(
  key: string,
  option: Option,
): { readonly flag: string; readonly key: string; readonly env: readonly string[] } {
  return {
    flag: `${option.flag ?? `--${kebabCase(key)}`}-file`,
    key: `${key}File`,
    env: option.env.map((env) => `${envName(env)}_FILE`),
  };
}

export function envName(env: EnvName): string {
  return typeof env === "string" ? env : env.name;
}
