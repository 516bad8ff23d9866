/** Names for downloads: as the site suggests, unless that would overwrite a file or be too long for one. */

import { existsSync } from "node:fs";
import { extname, join } from "node:path";

export interface DownloadName {
  /** What upstream is told that the site has suggested. */
  readonly shown: string;
  /** Name of the file that upstream makes of it. */
  readonly file: string;
}

/** File systems take 255 bytes; some room is left for what others append. */
const MAX_BYTES = 200;

/** Endings that tell a kind of file are short; anything longer is a part of the name. */
const MAX_ENDING = 16;

/**
 * @param directory where the file will lie
 * @param taken names of files that are on their way there
 */
export function downloadName(suggested: string, directory: string, taken: ReadonlySet<string>): DownloadName {
  const isFree = ({ file }: DownloadName): boolean => !taken.has(file) && !existsSync(join(directory, file));
  const ending = extname(suggested).length > MAX_ENDING ? "" : extname(suggested);
  const stem = suggested.slice(0, suggested.length - ending.length);
  const fits = byteLength(suggested) <= MAX_BYTES;
  const numbered = (count: number): DownloadName => {
    const tail = `${count === 1 ? "" : `-${count}`}${ending}`;
    return named(fits && count === 1 ? suggested : shortened(stem, MAX_BYTES - byteLength(tail)) + tail);
  };
  for (let count = 1;; count++) {
    const name = numbered(count);
    if (isFree(name)) return name;
  }
}

function named(shown: string): DownloadName {
  const at = shown.lastIndexOf(".");
  const file = at === -1 ? plain(shown) : `${plain(shown.slice(0, at))}.${plain(shown.slice(at + 1))}`;
  return { shown, file };
}

/** As upstream does it: of ASCII only letters, digits and the hyphen stay. */
function plain(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/g, "-");
}

/** As many whole characters as fit. */
function shortened(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = "";
  for (const character of text) {
    bytes += byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
