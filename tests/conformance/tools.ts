/** Tools of the conformance upstream. */
import { type Client, InvalidParams, type Json } from "./client.ts";
import { DEFAULTS_SCHEMA, ENUMS_SCHEMA, PERSON_SCHEMA } from "./elicitation_schemas.ts";
import { PNG, WAV } from "./media.ts";

interface Call {
  readonly args: Readonly<Record<string, unknown>>;
  readonly progressToken: unknown;
  readonly client: Client;
}

interface Tool {
  readonly properties?: Json;
  readonly inputSchema?: Json;
  readonly run: (call: Call) => Json[] | Promise<Json[]>;
}

/** Between the steps of a tool that reports while it runs; the scenarios ask for about as much. */
const STEP_MS = 50;

const STRING = { type: "string" };

const HANDLERS: Readonly<Record<string, Tool>> = {
  test_simple_text: { run: () => [text("This is a simple text response for testing.")] },
  test_image_content: { run: () => [image()] },
  test_audio_content: { run: () => [{ type: "audio", data: WAV, mimeType: "audio/wav" }] },
  test_embedded_resource: {
    run: () => [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  },
  test_multiple_content_types: {
    run: () => [
      text("Multiple content types test:"),
      image(),
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  },
  test_tool_with_logging: {
    run: async ({ client }) => {
      client.log("info", "Tool execution started");
      await step();
      client.log("info", "Tool processing data");
      await step();
      client.log("info", "Tool execution completed");
      return [text("Logged three times")];
    },
  },
  test_tool_with_progress: {
    run: async ({ client, progressToken }) => {
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          client.notify("notifications/progress", { progressToken, progress, total: 100 });
        }
        await step();
      }
      return [text("Done")];
    },
  },
  test_error_handling: {
    run: () => {
      throw new Error("This tool intentionally returns an error for testing");
    },
  },
  test_sampling: {
    properties: { prompt: STRING },
    run: async ({ args, client }) => {
      const messages = [{ role: "user", content: text(String(args["prompt"])) }];
      const answer = await client.ask("sampling/createMessage", { messages, maxTokens: 100 });
      return [text(`LLM response: ${JSON.stringify(answer["content"])}`)];
    },
  },
  test_elicitation: {
    properties: { message: STRING },
    run: ({ args, client }) => elicit(client, String(args["message"]), PERSON_SCHEMA),
  },
  test_elicitation_sep1034_defaults: {
    run: ({ client }) => elicit(client, "Please check the values", DEFAULTS_SCHEMA),
  },
  test_elicitation_sep1330_enums: {
    run: ({ client }) => elicit(client, "Please choose", ENUMS_SCHEMA),
  },
  test_reconnection: {
    run: async ({ client }) => {
      client.log("info", "About to answer");
      await step();
      return [text("Answered after the client has come back, if it went")];
    },
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: { address: { type: "object", properties: { street: STRING, city: STRING } } },
      properties: { name: STRING, address: { $ref: "#/$defs/address" } },
      additionalProperties: false,
    },
    run: () => [text("Valid")],
  },
};

export const TOOLS: readonly Json[] = Object.entries(HANDLERS).map(([name, { properties, inputSchema }]) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: inputSchema ??
    { type: "object", properties: properties ?? {}, required: Object.keys(properties ?? {}) },
}));

export async function callTool(params: Json, client: Client): Promise<Json> {
  const tool = HANDLERS[String(params["name"])];
  if (tool === undefined) throw new InvalidParams(`There is no tool "${String(params["name"])}"`);
  const args = (params["arguments"] ?? {}) as Json;
  const { progressToken } = (params["_meta"] ?? {}) as { progressToken?: unknown };
  try {
    return { content: await tool.run({ args, client, progressToken }) };
  } catch (error) {
    return { isError: true, content: [text(error instanceof Error ? error.message : String(error))] };
  }
}

async function elicit(client: Client, message: string, requestedSchema: Json): Promise<Json[]> {
  const { action, content } = await client.ask("elicitation/create", { message, requestedSchema });
  return [text(`Elicitation completed: action=${String(action)}, content=${JSON.stringify(content ?? {})}`)];
}

function text(value: string): Json {
  return { type: "text", text: value };
}

function image(): Json {
  return { type: "image", data: PNG, mimeType: "image/png" };
}

function resource(uri: string, mimeType: string, value: string): Json {
  return { type: "resource", resource: { uri, mimeType, text: value } };
}

function step(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, STEP_MS));
}
