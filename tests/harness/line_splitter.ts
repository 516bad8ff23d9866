import { Buffer } from "node:buffer";

/** Cuts a byte stream into lines, whatever the pieces it comes in. */
export class LineSplitter {
  #parts: Uint8Array[] = [];

  /** Complete lines that end within `chunk`, without their newline. */
  *push(chunk: Uint8Array): Generator<Uint8Array> {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, from);
      if (end < 0) break;
      this.#parts.push(chunk.subarray(from, end));
      from = end + 1;
      yield this.#join();
    }
    if (from < chunk.length) this.#parts.push(chunk.subarray(from));
  }

  /** What came after the last newline. */
  rest(): Uint8Array {
    return this.#join();
  }

  #join(): Uint8Array {
    const line = Buffer.concat(this.#parts);
    this.#parts = [];
    return line;
  }
}
