/**
 * The client's side of the handshake: what it said in `initialize`, which every generation is told anew, and how far
 * the session has come.
 */
import type { JsonObject } from "../protocol/json_rpc.ts";
import type { Generation } from "../upstream/generation.ts";
import { mergeInitializeResult } from "./handshake.ts";

export class ClientHandshake {
  #state: "none" | "asked" | "answered" = "none";
  #params = Promise.withResolvers<unknown>();
  #protocolVersion: string | undefined;
  /** The client's `notifications/initialized`, once it has come, and the generation that has it. */
  #initialized: { readonly bytes: Uint8Array; toldTo: number } | undefined;

  /** Whether `initialize` has come. */
  get begun(): boolean {
    return this.#state !== "none";
  }

  /** Whether `initialize` was answered with a result. */
  get answered(): boolean {
    return this.#state === "answered";
  }

  /** The revision of MCP that client and upstream have agreed upon. */
  get protocolVersion(): string | undefined {
    return this.#protocolVersion;
  }

  /** Parameters of `initialize`, when it has come. */
  get params(): Promise<unknown> {
    return this.#params.promise;
  }

  begin(): void {
    this.#state = "asked";
  }

  /** Lets generations go on that wait for {@link params}. */
  tell(params: unknown): void {
    this.#params.resolve(params);
  }

  /** What the client gets of upstream's answer to `initialize`. */
  agree(result: JsonObject): JsonObject {
    this.#state = "answered";
    if (typeof result.protocolVersion === "string") this.#protocolVersion = result.protocolVersion;
    return mergeInitializeResult(result);
  }

  /** The client's `initialize` came to nothing: it may send another. */
  fail(): void {
    this.#state = "none";
    this.#params = Promise.withResolvers();
  }

  /** Keeps `notifications/initialized`. */
  complete(bytes: Uint8Array): void {
    this.#initialized ??= { bytes, toldTo: 0 };
  }

  /** Tells a generation what the client has said, once. */
  async pass(generation: Generation): Promise<void> {
    if (this.#initialized === undefined || this.#initialized.toldTo >= generation.number) return;
    this.#initialized.toldTo = generation.number;
    await generation.send(this.#initialized.bytes);
  }
}
