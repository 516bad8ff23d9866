import assert from "node:assert/strict";
import { BridgeRun } from "../harness/bridge_run.ts";
import { schemaViolations } from "../harness/schema_violations.ts";
import type { Message } from "../harness/stdio_client.ts";

const NAMES = ["cloakbrowser_binary_info", "cloakbrowser_bridge_info"];

Deno.test("local tools are defined completely and their results fit their output schemas", async (t) => {
  await using run = await BridgeRun.initialized();
  const { tools } = (await run.client.request("tools/list")).result;
  for (const name of NAMES) {
    await t.step(name, async () => {
      const [definition, ...more] = tools.filter((tool: Message) => tool.name === name);
      assert.equal(more.length, 0);
      assert.deepEqual(definition.inputSchema, {
        type: "object",
        properties: {},
        additionalProperties: false,
      });
      const { readOnlyHint, idempotentHint, openWorldHint } = definition.annotations;
      assert.deepEqual([readOnlyHint, idempotentHint, openWorldHint], [true, true, false]);
      assert.ok(!("destructiveHint" in definition.annotations));
      const { result } = await run.client.callTool(name);
      assert.deepEqual(schemaViolations(definition.outputSchema, result.structuredContent), []);
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
      assert.equal(run.log.calls(name).length, 0, "never forwarded");
    });
  }
  await t.step("bridge info tells of the upstream that is there", async () => {
    const { structuredContent } = (await run.client.callTool("cloakbrowser_bridge_info")).result;
    assert.equal(structuredContent.name, "cloakbrowser-mcp");
    assert.equal(structuredContent.browserEngine, "playwright");
    assert.equal(structuredContent.localTools.toolCount, 2);
    assert.deepEqual(structuredContent.localTools.names.toSorted(), NAMES);
    assert.equal(structuredContent.upstream.pid, run.log.pids()[0]);
    assert.equal(structuredContent.upstream.toolCount, tools.length - NAMES.length);
  });
});

Deno.test("local tools answer while upstream is lost and do not restart it", async () => {
  await using run = await BridgeRun.initialized();
  const { result: before } = await run.client.callTool("cloakbrowser_bridge_info");
  assert.equal(before.structuredContent.upstream.toolCount, null, "nobody has listed the tools");
  await run.client.callTool("die", { code: 1 });
  for (const name of NAMES) {
    const { result } = await run.client.callTool(name);
    assert.ok(result.structuredContent, name);
  }
  assert.equal(run.log.pids().length, 1);
});

Deno.test("tools/call whose arguments are no object is refused with invalid params and not forwarded", async (t) => {
  await using run = await BridgeRun.initialized();
  for (const args of [[], [1], "text", 7, true, null]) {
    for (const name of ["browser_navigate", ...NAMES]) {
      await t.step(`${name} ${JSON.stringify(args)}`, async () => {
        const { error, result } = await run.client.callTool(name, args);
        assert.equal(result, undefined);
        assert.equal(error.code, -32602);
      });
    }
  }
  await run.client.callTool("browser_navigate", {});
  assert.equal(run.log.frames("tools/call").length, 1);
});
