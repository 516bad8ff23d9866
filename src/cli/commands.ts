/** Name that users type. */
export const PROGRAM = "cloakbrowser-mcp";

/** What the program does besides serving, which is what it does without a command. */
export const COMMANDS = {
  config: "Print the settings in effect and where each comes from",
  install: "Download the browser ahead of its first use; prints its path",
  uninstall: "Remove the downloaded browsers",
  license:
    "Save a CloakBrowser licence key (login, from standard input), remove it (logout) or show it (info)",
  doctor: "Find what would keep a server with these settings from working; --deep also launches the browser",
  healthcheck: "Tell whether the server works, for containers: one line, and exit status 0 or 1",
  version: "Print the version, as --version does",
  completions: "Print a completion script for a shell",
  help: "Show this help",
} as const;

export type CommandName = keyof typeof COMMANDS;

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const LICENSE_ACTIONS = ["login", "logout", "info"] as const;
export type LicenseAction = (typeof LICENSE_ACTIONS)[number];

/** Flags of the command `install` alone. */
export const INSTALL_FLAGS = {
  "--force": "With install: download anew and replace what is there, by the newest release",
  "--check": "With install: only tell whether there is a newer browser; exit status 0 either way",
  "--quiet": "With install: print nothing but the path",
} as const;
export type InstallFlag = keyof typeof INSTALL_FLAGS;

/** Commands that have a JSON form. */
export const JSON_COMMANDS: readonly string[] = [
  "config",
  "doctor",
  "version",
  "install",
  "license",
] satisfies CommandName[];

/** Flags that the help of a command shows; it takes all others too, as it reads the settings of the server. */
export const COMMAND_FLAGS: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  config: ["--json"],
  install: [
    "--force",
    "--check",
    "--quiet",
    "--json",
    "--release-channel",
    "--browser-version",
    "--cache-dir",
    "--download-url",
    "--download-stall-ms",
    "--license-key-file",
  ],
  uninstall: ["--cache-dir"],
  license: ["--json", "--cache-dir", "--license-key-file"],
  doctor: ["--json", "--deep"],
  version: ["--json"],
};
