import assert from "node:assert/strict";
import { readBody } from "../../../src/http/guards/body.ts";
import { refused, request } from "../requests.ts";

const LIMITS = { maxBytes: 64, timeoutMs: 60_000 };

function post(body: BodyInit, headers: Readonly<Record<string, string>> = {}): Request {
  return request(headers, { method: "POST", body });
}

function streamOf(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)));
}

Deno.test("readBody() gives the value and its bytes as they came", async () => {
  const text = '{"id":12345678901234567890,"x":"ä"}';
  const declared = { "content-length": String(new TextEncoder().encode(text).length) };
  const pieces = (): ReadableStream => streamOf(text.slice(0, 9), text.slice(9));
  for (const sent of [post(text), post(pieces()), post(text, declared), post(pieces(), declared)]) {
    const read = await readBody(sent, LIMITS);
    assert.ok(read.ok);
    assert.equal(new TextDecoder().decode(read.bytes), text);
    assert.deepEqual(read.value, JSON.parse(text));
  }
});

Deno.test("readBody() puts the bytes on one line without changing what they mean", async () => {
  const read = await readBody(post('{\r\n  "a": "x\\n"\n}\n'), LIMITS);
  assert.ok(read.ok);
  assert.equal(new TextDecoder().decode(read.bytes), '{    "a": "x\\n" } ');
  assert.deepEqual(read.value, { a: "x\n" });
});

Deno.test("readBody() takes a body of exactly the limit", async () => {
  const read = await readBody(post(`"${"x".repeat(62)}"`), LIMITS);
  assert.ok(read.ok && read.bytes.length === 64);
});

Deno.test("readBody() refuses a declared size over the limit without reading", async () => {
  let pulled = false;
  const body = new ReadableStream({ pull: () => void (pulled = true) }, { highWaterMark: 0 });
  const refusal = refused(await readBody(post(body, { "content-length": "65" }), LIMITS), 413);
  assert.match(refusal.message, /^Request body too large.*--http-max-body-bytes/);
  assert.equal(pulled, false);
});

Deno.test("readBody() stops a streamed body at the limit", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(40)),
    cancel: () => void (cancelled = true),
  });
  refused(await readBody(post(body), LIMITS), 413);
  assert.ok(cancelled);
});

Deno.test("readBody() does not believe a small declared size", async () => {
  const refusal = await readBody(post(streamOf("x".repeat(65)), { "content-length": "3" }), LIMITS);
  refused(refusal, 413);
});

Deno.test("readBody() refuses a malformed declared size", async () => {
  for (const length of ["-1", "1e3", "3, 3", "x"]) {
    refused(await readBody(post(streamOf("{}"), { "content-length": length }), LIMITS), 400);
  }
});

Deno.test("readBody() refuses what is no JSON", async () => {
  const wrong: BodyInit[] = ["", "{", "{}x", "\ufeff{}", new Uint8Array([0x22, 0xff, 0x22]), "nul"];
  for (const body of wrong) {
    const { code, message } = refused(await readBody(post(body), LIMITS), 400);
    assert.deepEqual([code, message], [-32700, "Parse error: Invalid JSON"]);
  }
  refused(await readBody(request({}, { method: "POST" }), LIMITS), 400);
});

Deno.test("readBody() gives up a body that does not come", async () => {
  for (const headers of [{}, { "content-length": "2" }]) {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([0x7b])) });
    refused(await readBody(post(body, headers), { ...LIMITS, timeoutMs: 5 }), 408);
  }
});

Deno.test("readBody() refuses a body that cannot be read", async () => {
  for (const headers of [{}, { "content-length": "2" }]) {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const read = await readBody(post(body, headers), LIMITS);
    assert.equal(read.ok ? 200 : read.refusal.status, 400);
  }
});
