import { join, resolve } from "node:path";
import { upstreamOption, type UpstreamSources } from "./upstream_option.ts";

export const OUTPUT_DIR = {
  flag: "--output-dir",
  env: "PLAYWRIGHT_MCP_OUTPUT_DIR",
  config: "outputDir",
} as const;

/**
 * Where upstream puts files that it names itself, as an absolute path. Without a setting that is
 * `.playwright-mcp` in the working directory.
 */
export function outputDirectory(sources: UpstreamSources, workingDirectory: string): string {
  const chosen = upstreamOption(sources, OUTPUT_DIR)?.value;
  return typeof chosen === "string"
    ? resolve(workingDirectory, chosen)
    : join(workingDirectory, ".playwright-mcp");
}
