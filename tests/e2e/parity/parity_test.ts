/** The compiled product against Node's `@playwright/mcp` of the same version: the same calls, the same results. */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { LoopbackSite } from "../../harness/loopback_site.ts";
import type { Message } from "../../harness/stdio_client.ts";
import { E2E_PAGES } from "../pages.ts";
import { normalised, normalisedText } from "./normalised.ts";
import { OTHER_REQUESTS, type Place, SCRIPT } from "./parity_script.ts";
import { Side } from "./side.ts";
import { startStandInDashboard } from "./stand_in_dashboard.ts";
import { installStandInFfmpeg } from "./stand_in_ffmpeg.ts";

const ALL_CAPS = ["--caps", "vision,pdf,devtools"];
const LOCAL_TOOLS = ["cloakbrowser_binary_info", "cloakbrowser_bridge_info"];
/** Files with a content that can be compared as text, by the end of their name. */
const TEXT_FILE = /\.(yml|yaml|txt|log)$/;

interface Transcript {
  readonly results: Message[];
  /** Normalised names of the files that the tools have written. */
  readonly files: readonly string[];
  /** Their contents, as far as it is text, oldest first. */
  readonly texts: readonly string[];
  /** Methods of what came unasked. */
  readonly notifications: readonly string[];
}

async function play(side: Side, site: LoopbackSite, deadUrl: string): Promise<Transcript> {
  const { client, folder } = side;
  folder.write("note.txt", "a note");
  await installStandInFfmpeg(folder.home);
  const place: Place = { work: folder.work, url: (path) => site.url(path), deadUrl };
  const results: Message[] = [];
  let dashboard: AsyncDisposable | undefined;
  try {
    for (const { tool, args } of SCRIPT) {
      if (tool === "browser_annotate") dashboard = await startStandInDashboard(folder.temporary);
      const answer = await client.callTool(tool, args(place), { withinMs: 30_000 });
      results.push(normalised(answer, folder.path));
    }
  } finally {
    await dashboard?.[Symbol.asyncDispose]();
  }
  const unasked = client.inbox.all((message) => message.method !== undefined);
  const paths = await pathsBelow(folder.work);
  return {
    results,
    files: [...new Set(paths.map((path) => normalisedText(path, folder.path)))],
    texts:
      (await Promise.all(paths.filter((path) => TEXT_FILE.test(path)).map((path) => Deno.readTextFile(path))))
        .map((text) => normalisedText(text, folder.path)),
    notifications: unasked.map(({ method }) => method),
  };
}

/** Paths of all files, sorted: upstream names most of them after the time. */
async function pathsBelow(directory: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    paths.push(...isDirectory ? await pathsBelow(path) : [path]);
  }
  return paths.sort();
}

Deno.test("initialize, tools/list and unknown requests are answered as by Node's @playwright/mcp", async () => {
  for (const options of [[], ALL_CAPS, ["--no-webmcp", "--caps=pdf"]]) {
    await using peer = await Side.peer(options);
    await using product = await Side.product(options);
    const { serverInfo: _, instructions: _ours, ...ours } = product.initialized.result;
    const { serverInfo: _name, instructions: _theirs, ...theirs } = peer.initialized.result;
    assert.deepEqual(ours, theirs);

    const { tools, ...rest } = (await product.client.request("tools/list")).result;
    const { tools: expected, ...expectedRest } = (await peer.client.request("tools/list")).result;
    assert.deepEqual(rest, expectedRest);
    assert.deepEqual(tools.filter(({ name }: Message) => !LOCAL_TOOLS.includes(name)), expected);
    assert.deepEqual(tools.slice(-2).map(({ name }: Message) => name), LOCAL_TOOLS);
    for (const { method, params } of OTHER_REQUESTS) {
      const [our, their] = [
        await product.client.request(method, params),
        await peer.client.request(method, params),
      ];
      const withoutLocal = method === "tools/list" && our.result !== undefined
        ? {
          ...our,
          result: {
            ...our.result,
            tools: our.result.tools.filter(({ name }: Message) => !LOCAL_TOOLS.includes(name)),
          },
        }
        : our;
      assert.deepEqual(normalised(withoutLocal, "-"), normalised(their, "-"), method);
    }
  }
});

Deno.test("every tool gives the same results as with Node's @playwright/mcp", async () => {
  await using site = new LoopbackSite(E2E_PAGES);
  await using peer = await Side.peer(ALL_CAPS);
  await using product = await Side.product(ALL_CAPS);

  const listed: string[] = (await peer.client.request("tools/list")).result.tools.map(({ name }: Message) =>
    name
  );
  assert.equal(listed.length, 45);
  const called = new Set(SCRIPT.map(({ tool }) => tool));
  assert.deepEqual(listed.filter((name) => !called.has(name)), [], "tools that the script does not call");

  const deadUrl = `http://127.0.0.1:${unusedPort()}/`;
  const [theirs, ours] = await Promise.all([play(peer, site, deadUrl), play(product, site, deadUrl)]);
  const differing = SCRIPT.flatMap(({ tool }, index) => {
    const [our, their] = [ours.results[index], theirs.results[index]];
    return isDeepStrictEqual(our, their) ? [] : [{ call: `${index} ${tool}`, our, their }];
  });
  assert.deepEqual(
    differing.map(({ call, our }) => ({ call, answer: our })),
    differing.map(({ call, their }) => ({ call, answer: their })),
  );
  assert.deepEqual(ours.files, theirs.files);
  assert.deepEqual(ours.texts, theirs.texts);
  assert.deepEqual(ours.notifications, theirs.notifications);
});

function unusedPort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
