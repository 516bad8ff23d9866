import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { upstreamOption, type UpstreamSources } from "./upstream_option.ts";

export const OUTPUT_DIR = {
  flag: "--output-dir",
  env: "PLAYWRIGHT_MCP_OUTPUT_DIR",
  config: "outputDir",
} as const;

const DEFAULT_NAME = ".playwright-mcp";

/**
 * Where upstream puts files that it names itself, as an absolute path. Without a setting that is
 * `.playwright-mcp` in the working directory.
 */
export function outputDirectory(sources: UpstreamSources, workingDirectory: string): string {
  return chosenOutputDirectory(sources, workingDirectory) ?? join(workingDirectory, DEFAULT_NAME);
}

/** The same where somebody has chosen it. */
export function chosenOutputDirectory(
  sources: UpstreamSources,
  workingDirectory: string,
): string | undefined {
  const chosen = upstreamOption(sources, OUTPUT_DIR)?.value;
  return typeof chosen === "string" ? resolve(workingDirectory, chosen) : undefined;
}

/** Upstream's own rule where nobody has chosen it: in the working directory, if files may go there. */
export async function defaultOutputDirectory(workingDirectory: string, temporary: string): Promise<string> {
  return join(await takesFiles(workingDirectory) ? workingDirectory : temporary, DEFAULT_NAME);
}

/** Whether files may go there; a service or a desktop program often starts us at the root. */
async function takesFiles(directory: string): Promise<boolean> {
  if (directory === "/") return false;
  try {
    await access(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
