import assert from "node:assert/strict";
import { stampedId, UpstreamRequests } from "../../src/bridge/upstream_requests.ts";

Deno.test("UpstreamRequests.open() gives equal ids of two generations different names", () => {
  const requests = new UpstreamRequests();
  const first = requests.open(1, 0);
  const second = requests.open(2, 0);
  assert.notEqual(first, second);
  assert.deepEqual(requests.close(first), { generation: 1, originalId: 0 });
  assert.deepEqual(requests.close(second), { generation: 2, originalId: 0 });
});

Deno.test("UpstreamRequests.close() knows a request once", () => {
  const requests = new UpstreamRequests();
  const id = requests.open(1, "a");
  assert.ok(requests.close(id));
  assert.equal(requests.close(id), undefined);
  assert.equal(requests.close("never"), undefined);
});

Deno.test("UpstreamRequests.abandon() closes the requests of one generation", () => {
  const requests = new UpstreamRequests();
  const dead = [requests.open(1, 1), requests.open(1, "1")];
  const live = requests.open(2, 1);
  assert.deepEqual(requests.abandon(1), dead);
  assert.equal(requests.close(String(dead[0])), undefined);
  assert.ok(requests.close(live));
});

Deno.test('stampedId() keeps 1 and "1" apart', () => {
  assert.notEqual(stampedId(3, 1), stampedId(3, "1"));
});
