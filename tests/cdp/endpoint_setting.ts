/** An endpoint before a DevTools port that is no browser; its end proves that no socket and no secret is left. */
import assert from "node:assert/strict";
import { FakeDevTools } from "../fixtures/fake_devtools.ts";
import { countOpenFiles } from "../harness/proc_stat.ts";
import { until } from "../harness/until.ts";
import { EndpointRun, type EndpointRunOptions } from "./endpoint_run.ts";

const NOTHING_LEFT_WITHIN_MS = 5_000;

export class EndpointSetting implements AsyncDisposable {
  readonly fake = new FakeDevTools();
  readonly run: EndpointRun;
  readonly #filesBefore: number;

  private constructor(filesBefore: number, options: EndpointRunOptions) {
    this.#filesBefore = filesBefore;
    this.run = EndpointRun.to(this.fake.port, options);
  }

  static start(options: EndpointRunOptions = {}): EndpointSetting {
    return new EndpointSetting(openFiles(), options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { run, fake } = this;
    await run[Symbol.asyncDispose]();
    await until("no inner socket is left", () => fake.connections === 0, NOTHING_LEFT_WITHIN_MS);
    await fake[Symbol.asyncDispose]();
    await until("no file is left", () => openFiles() <= this.#filesBefore, NOTHING_LEFT_WITHIN_MS);
    assert.ok(!run.log.some((line) => line.includes(run.capability)), "the capability is in the log");
  }
}

function openFiles(): number {
  return countOpenFiles(Deno.pid) ?? 0;
}
