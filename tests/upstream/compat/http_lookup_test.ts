import assert from "node:assert/strict";
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { repairHttpLookup } from "../../../src/upstream/compat/http_lookup.ts";

Deno.test("repairHttpLookup() keeps every option of a request but lookup", async () => {
  repairHttpLookup();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => new Response(`${request.method} ${request.headers.get("x-test")}`),
  );
  const url = `http://localhost:${server.addr.port}/`;
  const options = {
    method: "POST",
    headers: { "x-test": "kept" },
    agent: false as const,
    lookup: (): never => {
      throw new Error("lookup was used");
    },
  };
  const asked = [
    http.request(url, options),
    http.request({ ...options, hostname: "localhost", port: server.addr.port }),
  ];
  for (const request of asked) {
    request.end();
    const [response] = await once(request, "response") as [IncomingMessage];
    const chunks: Uint8Array[] = [];
    for await (const chunk of response) chunks.push(chunk);
    assert.equal(new TextDecoder().decode(chunks[0]), "POST kept");
  }
});
