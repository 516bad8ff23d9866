import assert from "node:assert/strict";
import { downloadName } from "../../src/upstream/download_name.ts";

function name(suggested: string, there: readonly string[] = [], taken: readonly string[] = []): string[] {
  const directory = Deno.makeTempDirSync();
  try {
    for (const file of there) Deno.writeTextFileSync(`${directory}/${file}`, "");
    const { shown, file } = downloadName(suggested, directory, new Set(taken));
    return [shown, file];
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("downloadName() keeps a name that is free, and knows the file that upstream makes of it", () => {
  assert.deepEqual(name("report.pdf"), ["report.pdf", "report.pdf"]);
  assert.deepEqual(name("../my report (1).tar.gz"), ["../my report (1).tar.gz", "-my-report-1-tar.gz"]);
  assert.deepEqual(name("Übersicht"), ["Übersicht", "Übersicht"]);
});

Deno.test("downloadName() numbers what would overwrite a file, or one that is on its way", () => {
  assert.deepEqual(name("a.txt", ["a.txt"]), ["a-2.txt", "a-2.txt"]);
  assert.deepEqual(name("a.txt", ["a.txt"], ["a-2.txt"]), ["a-3.txt", "a-3.txt"]);
  assert.deepEqual(name("a b.txt", ["a-b.txt"]), ["a b-2.txt", "a-b-2.txt"]);
  assert.deepEqual(name("a", ["a"]), ["a-2", "a-2"]);
});

Deno.test("downloadName() shortens what no file system takes, at a whole character, and keeps the ending", () => {
  const [shown = "", file = ""] = name(`${"ü".repeat(300)}.pdf`);
  assert.equal(shown, `${"ü".repeat(98)}.pdf`);
  assert.equal(file, shown);
  const [second = ""] = name(`${"ü".repeat(300)}.pdf`, [file]);
  assert.equal(second, `${"ü".repeat(97)}-2.pdf`);
  const [long = ""] = name(`a.${"x".repeat(300)}`);
  assert.equal(long.length, 200);
});
