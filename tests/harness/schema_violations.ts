/**
 * The part of JSON Schema that the bridge's own output schemas use. A keyword beyond it is reported, so that no
 * schema passes unchecked.
 */
type Json = Record<string, unknown>;

const UNDERSTOOD = new Set([
  ...["type", "properties", "required", "additionalProperties", "items", "const", "enum", "minimum"],
  ...["$schema", "title", "description", "default"],
]);

/** What is wrong with `value`, one sentence for each place; empty where it fits. */
export function schemaViolations(schema: Json, value: unknown, path = "$"): string[] {
  const found = Object.keys(schema).filter((key) => !UNDERSTOOD.has(key))
    .map((key) => `${path}: this check does not know "${key}"`);
  if (schema.type !== undefined && ![schema.type].flat().some((type) => hasType(value, String(type)))) {
    return [...found, `${path}: is not of type ${JSON.stringify(schema.type)}`];
  }
  if ("const" in schema && value !== schema.const) {
    found.push(`${path}: is not ${JSON.stringify(schema.const)}`);
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    found.push(`${path}: is not one of the enum`);
  }
  if (typeof schema.minimum === "number" && typeof value === "number" && value < schema.minimum) {
    found.push(`${path}: is too small`);
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    return [
      ...found,
      ...value.flatMap((item, index) => schemaViolations(schema.items as Json, item, `${path}[${index}]`)),
    ];
  }
  return hasType(value, "object") ? [...found, ...memberViolations(schema, value as Json, path)] : found;
}

function memberViolations(schema: Json, value: Json, path: string): string[] {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = (schema.required ?? []) as string[];
  const missing = required.filter((key) => !(key in value)).map((key) => `${path}: lacks "${key}"`);
  const members = Object.entries(value).flatMap(([key, member]) => {
    const property = properties[key];
    if (property !== undefined) return schemaViolations(property, member, `${path}.${key}`);
    return schema.additionalProperties === false ? [`${path}: "${key}" is not allowed`] : [];
  });
  return [...missing, ...members];
}

function hasType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  const actual: string = typeof value;
  return actual === type;
}
