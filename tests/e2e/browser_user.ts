/** Somebody who browses through the tools, over whichever transport. */
import assert from "node:assert/strict";
import type { Message } from "../harness/json_rpc_inbox.ts";
import { ToolResult } from "./tool_result.ts";

export interface ToolCaller {
  /** Resolves with the whole JSON-RPC answer. */
  callTool(name: string, args?: unknown, options?: { readonly withinMs?: number }): Promise<Message>;
}

/** A browser starts within a second; the rest is for a loaded machine. */
const CALL_WITHIN_MS = 30_000;

export class BrowserUser<Client extends ToolCaller> {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Calls a tool that must succeed. */
  async call(name: string, args: unknown = {}): Promise<ToolResult> {
    const result = await this.callAnyhow(name, args);
    assert.equal(result.isError, false, `${name} failed:\n${result.text}`);
    return result;
  }

  /** Calls a tool that must answer with an error of its own. */
  async callFailing(name: string, args: unknown = {}): Promise<ToolResult> {
    const result = await this.callAnyhow(name, args);
    assert.equal(result.isError, true, `${name} did not fail:\n${result.text}`);
    return result;
  }

  /** Calls a tool that may do either. */
  async callAnyhow(name: string, args: unknown = {}): Promise<ToolResult> {
    return new ToolResult(await this.client.callTool(name, args, { withinMs: CALL_WITHIN_MS }));
  }

  navigate(url: string): Promise<ToolResult> {
    return this.call("browser_navigate", { url });
  }

  /** The page as a tree of roles, in YAML. */
  async snapshot(): Promise<string> {
    return (await this.call("browser_snapshot")).section("Snapshot");
  }

  /** Value of an expression of the page, or what it resolves with. */
  async evaluate(expression: string): Promise<Message> {
    return JSON.parse(
      (await this.call("browser_evaluate", { function: `() => (${expression})` })).section("Result"),
    );
  }

  /** Reference of the element that stands in the snapshot like this, for example `button "Send"`. */
  async refOf(element: string): Promise<string> {
    const snapshot = await this.snapshot();
    const line = snapshot.split("\n").find((each) => each.includes(`- ${element}`));
    const ref = /\[ref=(\w+)\]/.exec(line ?? "")?.[1];
    assert.ok(ref, `no ${element} in:\n${snapshot}`);
    return ref;
  }

  async click(element: string): Promise<ToolResult> {
    return await this.call("browser_click", { element, target: await this.refOf(element) });
  }

  /** Structured content of one of the server's own tools. */
  async report(name: "cloakbrowser_binary_info" | "cloakbrowser_bridge_info"): Promise<Message> {
    return (await this.client.callTool(name)).result.structuredContent;
  }
}
