import assert from "node:assert/strict";
import { type ArchiveProgress, type FetchHolder, watchArchive } from "../../src/browser/archive_watch.ts";

const URL = "http://127.0.0.1/archive";

/** A `fetch` whose body is written by the test, and that heeds its signal as the real one does. */
function holder(headers: HeadersInit = {}): {
  target: FetchHolder;
  asked: string[];
  write(text: string): void;
  close(): void;
} {
  const asked: string[] = [];
  let controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({ start: (given) => void (controller = given) });
  return {
    asked,
    target: {
      fetch: (input, init) => {
        asked.push(String(input));
        init?.signal?.addEventListener("abort", () => controller.error(init.signal?.reason));
        return Promise.resolve(new Response(body, { headers }));
      },
    },
    write: (text) => controller.enqueue(new TextEncoder().encode(text)),
    close: () => controller.close(),
  };
}

Deno.test("watchArchive() counts the bytes and hands them on", async () => {
  const { target, write, close } = holder({ "content-length": "5" });
  const seen: ArchiveProgress[] = [];
  using watch = watchArchive({ stallMs: 60_000, onBytes: (progress) => seen.push(progress) }, target);
  watch.expect(URL);
  const response = await target.fetch(URL);
  write("ab");
  write("cde");
  close();
  assert.equal(await response.text(), "abcde");
  assert.deepEqual(seen, [{ received: 2, total: 5 }, { received: 5, total: 5 }]);
});

Deno.test("watchArchive() leaves other requests alone, and all when it has ended", async () => {
  const { target } = holder();
  const { fetch } = target;
  const seen: ArchiveProgress[] = [];
  {
    using watch = watchArchive({ stallMs: 1, onBytes: (progress) => seen.push(progress) }, target);
    watch.expect(URL);
    const response = await target.fetch("http://127.0.0.1/other");
    await response.body?.cancel();
    assert.notEqual(target.fetch, fetch);
  }
  assert.equal(target.fetch, fetch);
  assert.deepEqual(seen, []);
});

Deno.test("watchArchive() ends a download that stands still", async () => {
  const { target, write } = holder();
  using watch = watchArchive({ stallMs: 20 }, target);
  watch.expect(URL);
  const response = await target.fetch(URL);
  write("half");
  await assert.rejects(response.text(), /no data came for 0\.02 s/);
});

Deno.test("watchArchive() ends a request that gets no answer", async () => {
  const target: FetchHolder = {
    fetch: (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
      }),
  };
  using watch = watchArchive({ stallMs: 20 }, target);
  watch.expect(URL);
  await assert.rejects(target.fetch(URL), /no data came for 0\.02 s/);
});

Deno.test("watchArchive() breaks off with the reason of the signal, and asks for nothing after it", async () => {
  const { target, asked } = holder();
  const end = new AbortController();
  using watch = watchArchive({ stallMs: 60_000, signal: end.signal }, target);
  watch.expect(URL);
  const response = await target.fetch(URL);
  const text = response.text();
  end.abort(new Error("enough"));
  await assert.rejects(text, /enough/);
  await assert.rejects(target.fetch(URL), /enough/);
  assert.equal(asked.length, 1);
});
