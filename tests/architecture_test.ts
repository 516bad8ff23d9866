import assert from "node:assert/strict";

/** Rooms from the leaves to the root; a file may import from its own room and from those before it. */
const ORDER = [
  "errors",
  "version",
  "protocol",
  "platform",
  "telemetry",
  "settings",
  "browser",
  "upstream",
  "bridge",
  "stdio",
  "http",
  "cdp",
  "doctor",
  "app",
  "cli",
];

const ROOT = new URL("../", import.meta.url);

interface Module {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly code?: { specifier?: string };
    readonly type?: { specifier?: string };
  }[];
}

function roomOf(specifier: string): string | undefined {
  const source = new URL("src/", ROOT).href;
  if (!specifier.startsWith(source)) return undefined;
  return specifier.slice(source.length).split("/")[0]?.replace(/\.ts$/, "");
}

async function modules(): Promise<readonly Module[]> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.ts"],
    cwd: ROOT,
    stderr: "inherit",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).modules;
}

Deno.test("imports point one way", async () => {
  const wrong: string[] = [];
  for (const module of await modules()) {
    const from = roomOf(module.specifier);
    if (from === undefined) continue;
    assert.ok(ORDER.includes(from), `${from} is no room of docs/architecture.md`);
    for (const { code, type } of module.dependencies ?? []) {
      const target = code?.specifier ?? type?.specifier ?? "";
      const to = roomOf(target);
      if (to === undefined || ORDER.indexOf(to) <= ORDER.indexOf(from)) continue;
      wrong.push(`${module.specifier.slice(ROOT.href.length)} imports ${target.slice(ROOT.href.length)}`);
    }
  }
  assert.deepEqual(wrong, []);
});

Deno.test("every source file is reachable from main.ts", async () => {
  const reachable = new Set((await modules()).map((module) => module.specifier));
  const unreachable: string[] = [];
  const walk = async (folder: URL): Promise<void> => {
    for await (const entry of Deno.readDir(folder)) {
      const url = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
      if (entry.isDirectory) await walk(url);
      else if (entry.name.endsWith(".ts") && !reachable.has(url.href)) {
        unreachable.push(url.href.slice(ROOT.href.length));
      }
    }
  };
  await walk(new URL("src/", ROOT));
  // A worker is started by its path, which no import shows.
  assert.deepEqual(unreachable, ["src/upstream/parent_watch_worker.ts"]);
});

Deno.test("what playwright-core and @playwright/mcp are pinned to belongs together", async () => {
  const config = JSON.parse(await Deno.readTextFile(new URL("deno.json", ROOT)));
  const { default: manifest } = await import("@playwright/mcp/package.json", { with: { type: "json" } });
  assert.equal(
    config.imports["playwright-core/"],
    `npm:/playwright-core@${manifest.dependencies["playwright-core"]}/`,
  );
});
