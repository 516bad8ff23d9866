/** An endpoint in a process of its own, as it is one in the product: argument is the port of Chromium's DevTools. */
import { EndpointRun } from "../cdp/endpoint_run.ts";

const run = EndpointRun.to(Number(Deno.args[0]));
await Deno.stdout.write(new TextEncoder().encode(run.socketUrl()));
// Until the benchmark closes our input.
await Deno.stdin.read(new Uint8Array(1));
await run.endpoint.close();
