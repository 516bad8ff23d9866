/**
 * Stands in for the window in which a person draws annotations: `browser_annotate` starts the dashboard of
 * Playwright, finds that one runs already, and takes the annotations from it. Without it the tool would wait
 * 15 seconds for a window that no headless machine can open.
 */
import { until } from "../../harness/until.ts";

/** What the person has drawn, in the form that upstream's dashboard sends. */
const ANNOTATIONS = {
  type: "submitted",
  feedback: "Make it blue",
  frames: [{
    sessionTitle: "session",
    title: "Click",
    url: "about:annotated",
    viewportWidth: 700,
    viewportHeight: 600,
    annotations: [{ x: 1, y: 2, width: 30, height: 40, text: "this button" }],
    ariaSnapshot: "- button",
  }],
};

/** @param temporary where upstream, which has a browser already, keeps its sockets in some directory */
export async function startStandInDashboard(temporary: string): Promise<AsyncDisposable> {
  const sockets = await until("upstream's socket directory", () => directoryOfBrowsers(temporary), 5_000);
  await Deno.mkdir(`${sockets}/dashboard`, { recursive: true });
  const listener = Deno.listen({ transport: "unix", path: `${sockets}/dashboard/app.sock` });
  const serving = (async () => {
    for await (const connection of listener) await answer(connection);
  })();
  return {
    async [Symbol.asyncDispose](): Promise<void> {
      listener.close();
      await serving;
    },
  };
}

async function answer(connection: Deno.Conn): Promise<void> {
  using _ = connection;
  let text = "";
  const buffer = new Uint8Array(4096);
  while (!text.includes("\n")) {
    const length = await connection.read(buffer);
    if (length === null) return;
    text += new TextDecoder().decode(buffer.subarray(0, length));
  }
  const { annotate } = JSON.parse(text);
  const value = annotate === true ? ANNOTATIONS : { pid: Deno.pid };
  await connection.write(new TextEncoder().encode(JSON.stringify(value) + "\n"));
}

/** Upstream has one directory for all its sockets, and in it one named `browser`. */
function directoryOfBrowsers(below: string): string | undefined {
  for (const { name, isDirectory } of Deno.readDirSync(below)) {
    if (!isDirectory) continue;
    if (name === "browser") return below;
    const found = directoryOfBrowsers(`${below}/${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
