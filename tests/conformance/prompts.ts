/** Prompts of the conformance upstream. */
import { InvalidParams, type Json } from "./client.ts";
import { PNG } from "./media.ts";

const argument = (name: string): Json => ({ name, description: `The ${name}`, required: true });

export const PROMPTS: readonly Json[] = [
  { name: "test_simple_prompt", description: "Without arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "With two arguments",
    arguments: [argument("arg1"), argument("arg2")],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "With a resource in it",
    arguments: [argument("resourceUri")],
  },
  { name: "test_prompt_with_image", description: "With an image in it" },
];

export function promptMessages({ name, arguments: given }: Json): Json[] {
  const args = (given ?? {}) as Readonly<Record<string, string>>;
  switch (name) {
    case "test_simple_prompt":
      return [user({ type: "text", text: "This is a simple prompt for testing." })];
    case "test_prompt_with_arguments":
      return [
        user({ type: "text", text: `Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'` }),
      ];
    case "test_prompt_with_embedded_resource":
      return [
        user({
          type: "resource",
          resource: {
            uri: args["resourceUri"],
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        }),
        user({ type: "text", text: "Please process the embedded resource above." }),
      ];
    case "test_prompt_with_image":
      return [
        user({ type: "image", data: PNG, mimeType: "image/png" }),
        user({ type: "text", text: "Please analyze the image above." }),
      ];
    default:
      throw new InvalidParams(`There is no prompt "${String(name)}"`);
  }
}

function user(content: Json): Json {
  return { role: "user", content };
}
