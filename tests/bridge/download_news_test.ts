import assert from "node:assert/strict";
import { DownloadNews } from "../../src/bridge/download_news.ts";

const SAVED = {
  kind: "download",
  name: "a b.txt",
  outcome: "saved",
  path: "/out/a b.txt",
  bytes: 5,
} as const;
const REFUSED = { kind: "download", name: "b", outcome: "refused" } as const;

Deno.test("DownloadNews links a saved file, once, and only for who knows links", () => {
  const news = new DownloadNews();
  assert.deepEqual(news.take("2025-06-18"), []);
  news.add(SAVED);
  assert.deepEqual(news.take("2025-06-18"), [
    { type: "resource_link", uri: "file:///out/a%20b.txt", name: "a b.txt", size: 5 },
  ]);
  assert.deepEqual(news.take("2025-06-18"), []);
  for (const version of ["2025-03-26", undefined]) {
    news.add(SAVED);
    assert.deepEqual(news.take(version), []);
  }
});

Deno.test("DownloadNews tells what was not saved, and why", () => {
  const news = new DownloadNews();
  news.add(REFUSED);
  news.add({ kind: "download", name: 'a "b"', outcome: "too_large", maxBytes: 10 });
  news.add({ kind: "download", name: "c", outcome: "failed", reason: "canceled" });
  const texts = news.take("2025-03-26").map(({ text }) => String(text));
  assert.match(texts[0] ?? "", /^### Note\nThe download of "b" was refused: .*--downloads deny/);
  assert.match(texts[1] ?? "", /"a \\"b\\"" was stopped .* 10 bytes of --download-max-bytes/);
  assert.match(texts[2] ?? "", /"c" failed: canceled/);
});

Deno.test("DownloadNews counts what a page downloads without end", () => {
  const news = new DownloadNews();
  for (let count = 0; count < 60; count++) news.add(REFUSED);
  const blocks = news.take("2025-06-18");
  assert.equal(blocks.length, 51);
  assert.equal(blocks.at(-1)?.text, "### Note\n10 more downloads have ended.");
  news.add(REFUSED);
  assert.equal(news.take("2025-06-18").length, 1);
});
