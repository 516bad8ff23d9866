/** The official client library over HTTP, as most users have it. */
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { HttpRun } from "../harness/http_run.ts";

// The library keeps timers and a reader for itself until some time after `close`.
Deno.test(
  "the official client works over HTTP",
  { sanitizeOps: false, sanitizeResources: false },
  async (t) => {
    await using run = await HttpRun.start();
    const connection = new CuttableFetch();
    const transport = new StreamableHTTPClientTransport(new URL(run.url), { fetch: connection.fetch });
    const client = new Client(
      { name: "official", version: "1.0.0" },
      { capabilities: { roots: { listChanged: true }, elicitation: {} } },
    );
    client.setRequestHandler(
      ListRootsRequestSchema,
      () => ({ roots: [{ uri: "file:///root", name: "root" }] }),
    );
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
    const announced = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => announced.resolve());
    await client.connect(transport);
    run.tree.record();
    const structured = async (name: string): Promise<string> =>
      JSON.stringify((await client.callTool({ name, arguments: {} })).structuredContent);
    await t.step("initialize", () => {
      assert.equal(client.getServerVersion()?.name, "cloakbrowser-mcp");
      assert.ok(transport.sessionId);
    });
    await t.step("tools/list", async () => {
      const { tools } = await client.listTools();
      assert.ok(tools.some((tool: { name: string }) => tool.name === "cloakbrowser_bridge_info"));
    });
    await t.step("progress", async () => {
      const steps: number[] = [];
      await client.callTool({ name: "progress", arguments: { n: 3 } }, undefined, {
        onprogress: ({ progress }: { progress: number }) => steps.push(progress),
      });
      assert.deepEqual(steps, [1, 2, 3]);
    });
    await t.step("questions of upstream", async () => {
      assert.match(await structured("roots"), /file:\/\/\/root/);
      assert.match(await structured("elicit"), /Ada/);
    });
    await t.step("a notification on the GET stream", async () => {
      await client.callTool({ name: "listchanged", arguments: {} });
      await announced.promise;
    });
    await t.step("a large answer", async () => {
      const { content } = await client.callTool({ name: "big", arguments: { bytes: 8 * 1024 * 1024 } });
      assert.equal(JSON.stringify(content).length > 8 * 1024 * 1024, true);
    });
    await t.step("cancellation", async () => {
      const abort = new AbortController();
      const call = client.callTool({ name: "never", arguments: {} }, undefined, { signal: abort.signal });
      await run.log.called("never");
      abort.abort();
      await assert.rejects(call);
      await run.log.next("cancellation", (entry) => entry.kind === "cancelled");
    });
    await t.step("a call whose stream is cut is resumed, and forwarded once", async () => {
      connection.cutsNextStream = true;
      const { content } = await client.callTool({ name: "slow", arguments: { ms: 1_000 } });
      assert.match(JSON.stringify(content), /slept 1000 ms/);
      assert.equal(connection.cuts, 1);
      assert.equal(run.log.calls("slow").length, 1);
    });
    await t.step("end of the session", async () => {
      await transport.terminateSession();
      await client.close();
      assert.equal((await run.get("/readyz")).body.sessions.active, 0);
    });
  },
);

/** A connection that breaks on command, after the first bytes of a streamed answer. */
class CuttableFetch {
  cutsNextStream = false;
  cuts = 0;

  readonly fetch = async (input: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const streams = response.headers.get("content-type") === "text/event-stream";
    if (!this.cutsNextStream || init?.method !== "POST" || !streams || response.body === null) {
      return response;
    }
    this.cutsNextStream = false;
    const { status, headers } = response;
    return new Response(this.#cut(response.body.getReader()), { status, headers });
  };

  #cut(
    reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      pull: async (controller) => {
        if (this.cuts === 0) {
          this.cuts++;
          const { value } = await reader.read();
          if (value !== undefined) controller.enqueue(value);
          return;
        }
        await reader.cancel();
        controller.error(new TypeError("connection reset"));
      },
    }, { highWaterMark: 0 });
  }
}
