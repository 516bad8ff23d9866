import assert from "node:assert/strict";
import { tools } from "playwright-core/lib/coreBundle";
import { program } from "playwright-core/lib/utilsBundle";
import { envName, type Option } from "../../src/settings/option.ts";
import { OPTIONS } from "../../src/settings/option_table.ts";
import { UPSTREAM_FLAGS } from "../../src/settings/upstream_flags.ts";

/** The parts of commander that the bundle exposes without types. */
interface UpstreamCommand {
  readonly options: readonly {
    readonly long: string;
    readonly required: boolean;
    readonly optional: boolean;
    readonly variadic: boolean;
    readonly hidden: boolean;
    readonly short?: string;
    readonly parseArg?: (value: string) => unknown;
  }[];
}

function upstreamCommand(): UpstreamCommand {
  const command = new program.constructor();
  tools.decorateMCPCommand(command, "0");
  return command;
}

Deno.test("UPSTREAM_FLAGS has the flags of the pinned Playwright MCP, with their arity", () => {
  const theirs = upstreamCommand().options.map((option) => {
    assert.equal(option.optional, false, `${option.long}: a value that may be left out is new`);
    assert.ok(!option.short, `${option.long}: a short form is new`);
    const arity = option.variadic ? "variadic" : option.required ? "value" : "switch";
    return `${option.long} ${arity}${option.hidden ? " hidden" : ""}`;
  });
  const ours = UPSTREAM_FLAGS.map((row) => `${row.flag} ${row.arity}${row.hidden ? " hidden" : ""}`);
  assert.deepEqual(ours.sort(), theirs.sort());
});

Deno.test("UPSTREAM_FLAGS knows the choices that upstream insists on", () => {
  for (const { long, parseArg } of upstreamCommand().options) {
    const row = UPSTREAM_FLAGS.find(({ flag }) => flag === long);
    const theirs = choicesOf(parseArg);
    assert.deepEqual([...row?.choices ?? []].sort(), theirs.sort(), long);
  }
});

/** Upstream's parser for choices names them when it refuses a value. */
function choicesOf(parseArg: ((value: string) => unknown) | undefined): string[] {
  try {
    parseArg?.("/no/such/value");
  } catch (error) {
    const listed = /Valid values are: (.*)$/.exec(String(error))?.[1];
    return listed?.split(", ") ?? [];
  }
  return [];
}

Deno.test("UPSTREAM_FLAGS names variables that upstream reads, and marks those that it does not", async () => {
  const source = await Deno.readTextFile(new URL(import.meta.resolve("playwright-core/lib/coreBundle")));
  for (const { env, envUnread } of UPSTREAM_FLAGS) {
    if (env !== undefined) assert.equal(source.includes(env), envUnread !== true, env);
  }
});

Deno.test("UPSTREAM_FLAGS leaves a flag to our option of the same flag and variable", () => {
  for (const { flag, ours, env } of UPSTREAM_FLAGS) {
    if (ours === undefined) continue;
    const option: Option = OPTIONS[ours];
    assert.ok([option.flag, ...option.aliases ?? []].includes(flag.replace("--no-", "--")));
    if (env !== undefined) assert.ok(option.env.map(envName).includes(env));
  }
});
