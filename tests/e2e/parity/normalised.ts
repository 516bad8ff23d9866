/** Results without what differs from one run to the next: times, paths, ids. */
import type { Message } from "../../harness/stdio_client.ts";
import { jpegSize, pngSize } from "../picture_size.ts";

type Replacement = readonly [pattern: RegExp, by: string];

/** Folders are replaced first: their names are random and could look like anything. */
function replacements(folder: string): Replacement[] {
  return [
    [new RegExp(folder.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"), "g"), "<folder>"],
    [/\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d[-.]\d{3}Z/g, "<time>"],
    [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, "<date>"],
    [/(?<=duration: |\[) *\d+ms/g, "<n>ms"],
    // Upstream takes the name of the failed method from the call stack, which is not the same at each run.
    [/(Error: )\w+\.\w+: /g, "$1<method>: "],
    [/page@[0-9a-f]{32}-\d{13}/g, "page@<id>"],
    [/\b\d{13}\b/g, "<milliseconds>"],
  ];
}

/** An answer in which all texts are normalised, pictures have a size instead of data, and the id is left out. */
export function normalised(answer: Message, folder: string): Message {
  const { id: _, ...rest } = answer;
  return visit(rest, replacements(folder));
}

export function normalisedText(text: string, folder: string): string {
  return replacements(folder).reduce((current, [pattern, by]) => current.replaceAll(pattern, by), text);
}

function visit(value: Message, list: readonly Replacement[]): Message {
  if (typeof value === "string") {
    return list.reduce((current, [pattern, by]) => current.replaceAll(pattern, by), value);
  }
  if (Array.isArray(value)) return value.map((each) => visit(each, list));
  if (typeof value !== "object" || value === null) return value;
  if (value.type === "image") return { ...value, data: pictureSize(value) };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visit(each, list)]));
}

function pictureSize({ mimeType, data }: { mimeType: string; data: string }): unknown {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  if (mimeType === "image/png") return pngSize(bytes);
  if (mimeType === "image/jpeg") return jpegSize(bytes);
  return new TextDecoder("latin1").decode(bytes.subarray(8, 12)); // "WEBP" in a RIFF file
}
