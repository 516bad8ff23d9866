/**
 * `deno task bench`: measures the built program against its peers in one run and prints the table of
 * `docs/performance.md`.
 */
import { type Row, stdioRows } from "../tests/bench/stdio_bench.ts";
import { playwrightMcpCommand } from "../tests/harness/peers.ts";
import { say } from "./say.ts";

function render(row: Row): string {
  const peer = row.peer === undefined ? "" : `${row.peer.value.toFixed(2)} (${row.peer.name})`;
  const ratio = row.peer === undefined ? "" : (row.value / row.peer.value).toFixed(2);
  return `| ${row.what} | ${row.value.toFixed(2)} ${row.unit} | ${peer} | ${ratio} | ${row.target} |`;
}

say("| what | measured | peer | ratio | target |\n| --- | --- | --- | --- | --- |");
for (const row of await stdioRows(await playwrightMcpCommand())) say(render(row));
