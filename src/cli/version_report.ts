import manifest from "../../deno.json" with { type: "json" };
import { UPSTREAM_PACKAGE, UPSTREAM_VERSION, VERSION } from "../version.ts";
import { PROGRAM } from "./commands.ts";

/** What is inside this program, for `--version --json`. */
export interface VersionReport {
  readonly version: string;
  readonly deno: string;
  readonly v8: string;
  readonly typescript: string;
  readonly upstream: { readonly package: string; readonly version: string };
  readonly playwrightCore: string;
  readonly target: string;
  /** False when run from source. */
  readonly compiled: boolean;
}

export function versionReport(): VersionReport {
  return {
    version: VERSION,
    deno: Deno.version.deno,
    v8: Deno.version.v8,
    typescript: Deno.version.typescript,
    upstream: { package: UPSTREAM_PACKAGE, version: UPSTREAM_VERSION },
    playwrightCore: manifest.imports["playwright-core/"].replace(/^.*@|\/$/g, ""),
    target: Deno.build.target,
    compiled: Deno.build.standalone,
  };
}

export function versionText(json: boolean): string {
  return json ? `${JSON.stringify(versionReport(), null, 2)}\n` : `${PROGRAM} ${VERSION}\n`;
}
