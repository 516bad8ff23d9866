/**
 * The main job without an MCP client: `deno task demo [URL]` starts the server, browses a page of its own or the
 * one given, and prints what an agent would see.
 */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { messageOf } from "../src/errors.ts";
import { selfCommand } from "../src/platform/self_command.ts";
import { McpClient, type ToolResult } from "./demo/mcp_client.ts";
import { servePage } from "./demo/page.ts";
import { say } from "./say.ts";
import { ensureBrowser } from "./setup.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Where the picture goes: the directory that the server uses by itself when it is started here. */
const OUTPUT_DIRECTORY = resolve(ROOT, ".playwright-mcp");

async function demo(url: string | undefined): Promise<void> {
  const browser = await ensureBrowser();
  const { command, args } = selfCommand();
  const server = [...args, "--browser-engine", "auto", "--output-dir", OUTPUT_DIRECTORY];
  say(`Starting the server with ${browser}`);
  await using client = McpClient.start(command, server, { CLOAKBROWSER_BINARY_PATH: browser });
  const { serverInfo } = await client.initialize();
  const tools = await client.listTools();
  say(`${serverInfo.name} ${serverInfo.version} offers ${tools.length} tools\n`);

  await using page = url === undefined ? servePage() : undefined;
  const address = url ?? page?.url ?? "";
  say(`browser_navigate ${address}`);
  await client.callTool("browser_navigate", { url: address });
  if (page !== undefined) {
    say("browser_type Ada into the field, browser_click the button");
    await client.callTool("browser_type", { element: "name", target: "input", text: "Ada" });
    await client.callTool("browser_click", { element: "button", target: "button" });
  }
  say("browser_snapshot\n");
  say(textOf(await client.callTool("browser_snapshot", {})));

  const picture = resolve(OUTPUT_DIRECTORY, `demo-${Date.now()}.png`);
  await client.callTool("browser_take_screenshot", { filename: picture });
  await client.close();
  const { size } = await Deno.stat(picture);
  say(`\nScreenshot (${Math.ceil(size / 1024)} KiB): ${picture}`);
}

function textOf(result: ToolResult): string {
  return result.content.map((part) => part.text ?? `(${part.type})`).join("\n");
}

if (import.meta.main) {
  try {
    await demo(Deno.args[0]);
  } catch (error) {
    say(`Demo failed: ${stripVTControlCharacters(messageOf(error))}`);
    Deno.exit(1);
  }
}
