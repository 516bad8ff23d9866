import { PROGRAM } from "./commands.ts";
import { EXIT_STATUSES } from "./exit_status.ts";

/** What the help says after the options. */
export function afterHelp(): string {
  const statuses = EXIT_STATUSES.map(([status, meaning]) => `  ${status}  ${meaning}`);
  return [
    "",
    "Settings:",
    "  A flag wins over the environment, that over the settings file, that over the default.",
    "  Booleans are true or false; relative paths start from the working directory, in a file from its directory.",
    `  "${PROGRAM} config" shows what is in effect.`,
    "",
    "Exit status:",
    ...statuses,
    "",
  ].join("\n");
}

/** What the help of a command says after its options. */
export function afterCommandHelp(): string {
  return `\nTakes the options of the server as well: see "${PROGRAM} --help".`;
}
