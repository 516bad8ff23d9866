/** Case http-2 (a). Run by `http_patience_test.ts`. */
import assert from "node:assert/strict";
import { HttpBrowserRun } from "../../e2e/http_browser_run.ts";
import { LoopbackSite } from "../../harness/loopback_site.ts";
import { passed } from "../../harness/until.ts";

const WAIT_MS = 60_000;

/** Some servers take a client without a GET stream for one that has gone, and end what serves it. */
export async function keptPage(): Promise<void> {
  await using site = new LoopbackSite();
  await using run = await HttpBrowserRun.start();
  const user = await run.open();
  await user.navigate(site.url("/form"));
  await user.call("browser_type", {
    element: "Name",
    target: await user.refOf('textbox "Name"'),
    text: "typed a minute ago",
  });
  const before = [await user.upstreamPid(), (await user.browser()).pid];
  await passed(WAIT_MS);
  assert.match(await user.snapshot(), /textbox "Name".*typed a minute ago/);
  assert.deepEqual([await user.upstreamPid(), (await user.browser()).pid], before);
  assert.equal(site.visitsOf("/form").length, 1, "the page was not loaded again");
}
