/**
 * JSON Schema (2020-12) of the settings file, from the option table: editors complete and check the file with it.
 */

import { kebabCase, type Option, secretFileNames } from "../src/settings/option.ts";
import { optionRows } from "../src/settings/option_table.ts";
import { upstreamFileKey } from "../src/settings/upstream_file.ts";
import { forwardedFlags, type UpstreamFlag } from "../src/settings/upstream_flags.ts";

export type Schema = { readonly [key: string]: unknown };

const STRINGS: Schema = { type: "array", items: { type: "string" } };

export function settingsSchema(): Schema {
  const properties: Record<string, Schema> = {
    $schema: { type: "string", description: "Address of this schema, for editors" },
  };
  for (const [key, option] of optionRows()) {
    if (option.inFile === false) continue;
    properties[key] = optionSchema(option);
    if (option.secret) {
      properties[secretFileNames(key, option).key] = {
        type: "string",
        minLength: 1,
        description:
          `File that holds this: ${option.help}. Relative paths start from the directory of the settings file`,
      };
    }
  }
  properties["upstream"] = upstreamSchema();
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of cloakbrowser-mcp",
    description: "JSON with comments and trailing commas",
    type: "object",
    properties,
    additionalProperties: false,
  };
}

function optionSchema(option: Option): Schema {
  const common = {
    description: option.help,
    ...(option.default === undefined ? {} : { default: option.default }),
  };
  switch (option.type) {
    case "boolean":
      return { type: "boolean", ...common };
    case "integer":
      return { type: "integer", minimum: option.min, maximum: option.max, ...common };
    case "choice":
      return { type: "string", enum: option.choices, ...common };
    case "text":
      return { type: "string", pattern: "\\S", ...common };
    case "path":
      return {
        type: "string",
        pattern: "\\S",
        ...common,
        description: `${option.help}. Relative paths start from the directory of the settings file`,
      };
    case "paths":
    case "list":
      return { ...STRINGS, ...common };
    case "command":
      return { ...STRINGS, minItems: 1, ...common };
    case "object":
      return { type: "object", ...common };
  }
}

/** Each flag under both its names: as on the command line, and in camelCase like our own keys. */
function upstreamSchema(): Schema {
  const properties: Record<string, Schema> = {};
  for (const row of forwardedFlags()) {
    const key = upstreamFileKey(row);
    properties[key] = flagSchema(row);
    const name = kebabCase(key);
    if (name !== key) properties[name] = { $ref: `#/properties/upstream/properties/${key}` };
  }
  return {
    type: "object",
    description: "Options of Playwright MCP, under the names of its flags",
    properties,
    additionalProperties: false,
  };
}

function flagSchema(row: UpstreamFlag): Schema {
  const description = row.help;
  if (row.arity === "switch") {
    return row.flag.startsWith("--no-")
      ? { type: "boolean", default: true, description: `False: ${description}` }
      : { type: "boolean", description };
  }
  if (row.form === "number") return { type: ["number", "string"], description };
  if (row.choices !== undefined) return { type: "string", enum: row.choices, description };
  return row.arity === "variadic" || row.separator !== undefined
    ? { type: ["string", "array"], items: { type: "string" }, description }
    : { type: "string", description };
}
