/** The official client library, as most users have it, with every feature through the bridge. */
import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { inheritedEnvironment } from "../harness/bridge_run.ts";
import { FakeLog } from "../harness/fake_log.ts";
import { ProcessTree } from "../harness/process_tree.ts";
import { RunFolder } from "../harness/run_folder.ts";
import { bridgeCommand, fakeCommand } from "../harness/target.ts";

// The library's transport keeps the process and its timers for itself until some time after `close`.
Deno.test(
  "the official client works through the bridge",
  { sanitizeOps: false, sanitizeResources: false },
  async (t) => {
    const folder = new RunFolder();
    const { command, args } = bridgeCommand();
    const transport = new StdioClientTransport({
      command,
      args,
      cwd: folder.work,
      stderr: "pipe",
      env: {
        ...inheritedEnvironment(),
        TMPDIR: folder.temporary,
        PLAYWRIGHT_MCP_BROWSER_ENGINE: "playwright",
        CLOAK_PLAYWRIGHT_MCP_UPSTREAM_COMMAND: JSON.stringify(fakeCommand(["--log", folder.journal])),
      },
    });
    const log = new FakeLog(folder.journal);
    const client = new Client(
      { name: "official", version: "1.0.0" },
      { capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } },
    );
    client.setRequestHandler(
      ListRootsRequestSchema,
      () => ({ roots: [{ uri: "file:///root", name: "root" }] }),
    );
    client.setRequestHandler(CreateMessageRequestSchema, () => ({
      role: "assistant",
      content: { type: "text", text: "hello" },
      model: "none",
    }));
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
    const announced = Promise.withResolvers<void>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => announced.resolve());

    await client.connect(transport);
    const tree = new ProcessTree(transport.pid ?? 0);
    try {
      await t.step("initialize", () => {
        assert.equal(client.getServerVersion()?.name, "cloakbrowser-mcp");
        assert.ok(client.getServerCapabilities()?.tools?.listChanged);
        assert.ok(client.getInstructions());
      });

      await t.step("tools/list over both pages", async () => {
        const first = await client.listTools();
        const second = await client.listTools({ cursor: first.nextCursor });
        const names = [...first.tools, ...second.tools].map((tool) => tool.name);
        assert.ok(names.includes("browser_navigate") && names.includes("t2"));
        assert.equal(names.filter((name) => name.startsWith("cloakbrowser_")).length, 2);
      });

      await t.step("tools/call", async () => {
        const result = await client.callTool({ name: "browser_navigate", arguments: { url: "about:blank" } });
        assert.deepEqual((result.structuredContent as { arguments: unknown }).arguments, {
          url: "about:blank",
        });
        const info = await client.callTool({ name: "cloakbrowser_bridge_info" });
        assert.equal((info.structuredContent as { name: string }).name, "cloakbrowser-mcp");
      });

      await t.step("progress", async () => {
        const steps: number[] = [];
        const onprogress = ({ progress }: { progress: number }): unknown => steps.push(progress);
        // The library forgets progress that it reads in one piece with the result, so the result comes later.
        const args = { n: 5, restMs: 200 };
        await client.callTool({ name: "progress", arguments: args }, undefined, { onprogress });
        assert.deepEqual(steps, [1, 2, 3, 4, 5]);
      });

      await t.step("cancellation", async () => {
        const controller = new AbortController();
        const call = client.callTool({ name: "slow", arguments: { ms: 60_000 } }, undefined, {
          signal: controller.signal,
        });
        const settled = assert.rejects(call);
        await log.called("slow");
        controller.abort("enough");
        await settled;
        const cancelled = await log.next("cancellation", (entry) => entry.kind === "cancelled");
        assert.equal(cancelled.known, true);
      });

      for (
        const [tool, expected] of [
          ["roots", { roots: [{ uri: "file:///root", name: "root" }] }],
          ["sample", { role: "assistant", content: { type: "text", text: "hello" }, model: "none" }],
          ["elicit", { action: "accept", content: { name: "Ada" } }],
        ] as const
      ) {
        await t.step(tool, async () => {
          const result = await client.callTool({ name: tool, arguments: {} });
          const { answer } = result.structuredContent as { answer: { result: unknown } };
          assert.deepEqual(answer.result, expected);
        });
      }

      await t.step("resources, prompts, completion, logging, ping", async () => {
        assert.equal((await client.listResources()).resources.length, 2);
        assert.equal((await client.readResource({ uri: "fake://text" })).contents.length, 1);
        assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
        assert.equal((await client.listPrompts()).prompts.length, 1);
        assert.equal(
          (await client.getPrompt({ name: "greet", arguments: { who: "Ada" } })).messages.length,
          1,
        );
        const ref = { type: "ref/prompt", name: "greet" } as const;
        const { completion } = await client.complete({ ref, argument: { name: "who", value: "o" } });
        assert.deepEqual(completion.values, ["one", "two"]);
        await client.setLoggingLevel("info");
        await client.ping();
      });

      await t.step("list_changed", async () => {
        await client.callTool({ name: "listchanged" });
        await announced.promise;
      });
    } finally {
      tree.record();
      await client.close();
      try {
        await tree.assertNothingLeft({ withinMs: 5_000 });
        assert.deepEqual(folder.temporaryEntries(), []);
      } finally {
        tree.killAll();
        folder.remove();
      }
    }
  },
);
