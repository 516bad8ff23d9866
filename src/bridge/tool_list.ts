/**
 * What upstream's tools were when the client last listed them: the answer while no upstream is there, and the
 * measure of whether a new generation offers something else.
 */
import { isJsonObject, type JsonObject } from "../protocol/json_rpc.ts";

/** More names than any server has; a session must not be made to keep more. */
const MAX_NAMES = 1000;

/** More pages than any server has; a cursor that never ends must not loop for ever. */
const MAX_PAGES = 100;

export class ToolList {
  readonly #pages = new Map<string | undefined, JsonObject>();
  #toolCount: number | undefined;
  readonly #localTools: readonly JsonObject[];
  /** Names of all tools that the client was ever told. */
  readonly #names = new Set<string>();

  /** @param localTools definitions that are appended to the first page */
  constructor(localTools: readonly JsonObject[]) {
    this.#localTools = localTools;
    this.#keepNames(localTools);
  }

  /** Greatest number of upstream tools seen; undefined before any list. */
  get toolCount(): number | undefined {
    return this.#toolCount;
  }

  /** Keeps a page as upstream sent it and returns it as the client gets it. */
  take(cursor: string | undefined, page: JsonObject): JsonObject {
    if (cursor === undefined) this.#pages.clear();
    this.#pages.set(cursor, page);
    this.#keepNames(toolsOf(page));
    const seen = [...this.#pages.values()].reduce((sum, each) => sum + toolsOf(each).length, 0);
    this.#toolCount = Math.max(this.#toolCount ?? 0, seen);
    return this.#present(cursor, page);
  }

  /** The name, where it is one that the client was told; undefined for whatever else a client may call. */
  listed(name: unknown): string | undefined {
    return typeof name === "string" && this.#names.has(name) ? name : undefined;
  }

  /** The page as last seen, for a client that asks while no upstream is there. */
  recall(cursor: string | undefined): JsonObject | undefined {
    const page = this.#pages.get(cursor);
    return page === undefined ? undefined : this.#present(cursor, page);
  }

  /**
   * Whether upstream's tools now differ from those that the client was told. False before the client listed any.
   *
   * @param fetchPage asks the new generation for one page; undefined where it gives none
   */
  async differs(
    fetchPage: (cursor: string | undefined) => Promise<JsonObject | undefined>,
  ): Promise<boolean> {
    if (!this.#pages.has(undefined)) return false;
    let cursor: string | undefined;
    for (let count = 0; count < MAX_PAGES; count++) {
      const told = this.#pages.get(cursor);
      if (told === undefined) return false; // The client never followed the pages that far.
      const page = await fetchPage(cursor);
      if (page === undefined) return false;
      if (JSON.stringify(toolsOf(page)) !== JSON.stringify(toolsOf(told))) return true;
      if (page.nextCursor !== told.nextCursor) return true;
      if (typeof page.nextCursor !== "string") return false;
      cursor = page.nextCursor;
    }
    return false;
  }

  #keepNames(tools: readonly unknown[]): void {
    for (const tool of tools) {
      if (this.#names.size >= MAX_NAMES) return;
      if (isJsonObject(tool) && typeof tool.name === "string") this.#names.add(tool.name);
    }
  }

  #present(cursor: string | undefined, page: JsonObject): JsonObject {
    if (cursor !== undefined) return page;
    return { ...page, tools: [...toolsOf(page), ...this.#localTools] };
  }
}

function toolsOf(page: JsonObject): unknown[] {
  return Array.isArray(page.tools) ? page.tools : [];
}

/** The cursor of a `tools/list` request; undefined for the first page. */
export function cursorOf(params: unknown): string | undefined {
  return isJsonObject(params) && typeof params.cursor === "string" ? params.cursor : undefined;
}
