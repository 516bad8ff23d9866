/**
 * The parser's complaints as one line that says what is wrong, what was probably meant and where to look.
 */

import type { CommanderError } from "commander";
import { AppError } from "../errors.ts";
import { didYouMean } from "../settings/suggest.ts";
import { COMMANDS, PROGRAM } from "./commands.ts";

/** @param known every long flag of the program; those without a value are in `switches` */
export function parserError(
  error: CommanderError,
  known: readonly string[],
  switches: readonly string[],
): AppError {
  return new AppError("usage", explain(error, known, switches), {
    remedy: `See "${PROGRAM} --help"`,
    cause: error,
  });
}

function explain(error: CommanderError, known: readonly string[], switches: readonly string[]): string {
  const message = error.message.replace(/^error: /, "").trim();
  if (error.code === "commander.unknownOption") {
    const flag = message.slice(message.indexOf("'") + 1, message.lastIndexOf("'"));
    const name = flag.replace(/=.*$/s, "");
    if (name !== flag && switches.includes(name)) {
      const opposite = known.find((other) => other === name.replace(/^--/, "--no-"));
      return `Cannot use "${flag}": ${name} takes no value` +
        (opposite === undefined ? "" : `. Use ${name} or ${opposite}`);
    }
    return `Unknown option "${name}"${didYouMean(name, known)}`;
  }
  if (error.code === "commander.optionMissingArgument") {
    return `Missing value for ${message.slice(message.indexOf("'") + 1, message.lastIndexOf("'"))}`;
  }
  const [, expected = "0", given] =
    /too many arguments.* Expected (\d+).* but got \d+: (.*)\.$/s.exec(message) ?? [];
  if (given !== undefined) {
    const first = given.split(", ")[Number(expected)] ?? "";
    return /^(true|false)$/i.test(first)
      ? `Unexpected argument "${first}": a switch takes no value, and --no-… switches it off`
      : `Unexpected argument "${first}"${didYouMean(first, Object.keys(COMMANDS))}`;
  }
  const text = message.replaceAll("'", '"').replace(/\.$/, "");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
