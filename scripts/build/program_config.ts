/**
 * The configuration that the program is compiled with. Deno embeds every npm package that a configuration
 * names, whether the program imports it or not; so this is `deno.json` without what only tests and scripts use.
 */

/** Imports of `deno.json` that nothing under `src/` loads: 25 MB of the binary if they stayed. */
const DEVELOPMENT_IMPORTS = ["@modelcontextprotocol/sdk/", "@playwright/mcp", "fast-check"];

/** Where the configuration and its lock file lie, from the root of the project. */
export const PROGRAM_CONFIG_DIRECTORY = ".cache/build";

/**
 * Writes the configuration and gives back its path, from the root. Its lock file is a copy, and not frozen,
 * because Deno calls a lock file outdated when packages in it are not asked for; versions and checksums hold.
 */
export async function writeProgramConfig(root: string): Promise<string> {
  const { imports, nodeModulesDir, unstable } = JSON.parse(await Deno.readTextFile(`${root}/deno.json`));
  for (const name of DEVELOPMENT_IMPORTS) {
    if (!(name in imports)) throw new Error(`"${name}" is no import of deno.json any more`);
    delete imports[name];
  }
  const directory = `${root}/${PROGRAM_CONFIG_DIRECTORY}`;
  await Deno.mkdir(directory, { recursive: true });
  await Deno.copyFile(`${root}/deno.lock`, `${directory}/deno.lock`);
  const lock = { path: "./deno.lock", frozen: false };
  await Deno.writeTextFile(
    `${directory}/deno.json`,
    JSON.stringify({ imports, nodeModulesDir, unstable, lock }),
  );
  return `${PROGRAM_CONFIG_DIRECTORY}/deno.json`;
}
