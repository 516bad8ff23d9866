import manifest from "../deno.json" with { type: "json" };

/** Version of the product, from `deno.json`. */
export const VERSION: string = manifest.version;

/** The npm package whose tools the upstream child serves, and its version. */
export const UPSTREAM_PACKAGE = "@playwright/mcp";
export const UPSTREAM_VERSION: string = manifest.imports["@playwright/mcp"].replace(/^.*@/, "");
