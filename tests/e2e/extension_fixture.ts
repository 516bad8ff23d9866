/** A Chrome extension whose content script marks every page. */

/** Reads the mark of a page: the name of the extension that has left it. */
export const MARK = "document.documentElement.dataset.markedBy ?? null";

/** @param directory made where there is none */
export async function writeExtension(directory: string, name: string): Promise<string> {
  await Deno.mkdir(directory, { recursive: true });
  const manifest = {
    manifest_version: 3,
    name,
    version: "1.0",
    content_scripts: [{ matches: ["<all_urls>"], js: ["mark.js"], run_at: "document_start" }],
  };
  await Deno.writeTextFile(`${directory}/manifest.json`, JSON.stringify(manifest));
  await Deno.writeTextFile(
    `${directory}/mark.js`,
    `document.documentElement.dataset.markedBy = ${JSON.stringify(name)};`,
  );
  return directory;
}
