/** What the tools of the conformance upstream ask the user for. */
import type { Json } from "./client.ts";

export const PERSON_SCHEMA: Json = {
  type: "object",
  properties: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  },
  required: ["username", "email"],
};

/** A default for every primitive type. */
export const DEFAULTS_SCHEMA: Json = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
  required: [],
};

const OPTIONS = ["option1", "option2", "option3"];

const titled = (kind: string): Json[] => [
  { const: "value1", title: `First ${kind}` },
  { const: "value2", title: `Second ${kind}` },
  { const: "value3", title: `Third ${kind}` },
];

/** Every way to offer a choice. */
export const ENUMS_SCHEMA: Json = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: OPTIONS },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: OPTIONS } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
  required: [],
};
