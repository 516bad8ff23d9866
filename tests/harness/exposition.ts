/**
 * The Prometheus text format (version 0.0.4, "Exposition formats"), read strictly: a line that is not of the format is
 * a fault of the test.
 */
import assert from "node:assert/strict";

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Exposition {
  readonly samples: readonly Sample[];
  /** By name of the metric. */
  readonly types: ReadonlyMap<string, string>;

  /** @throws {assert.AssertionError} where a line is none of the format or a sample comes without HELP and TYPE */
  constructor(text: string) {
    assert.ok(text.endsWith("\n"), "the last line ends");
    const samples: Sample[] = [];
    const types = new Map<string, string>();
    const helped = new Set<string>();
    for (const line of text.split("\n").filter((each) => each !== "")) {
      const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line) ??
        [];
      if (kind === "HELP") {
        assert.ok(!helped.has(name), `HELP twice: ${line}`);
        helped.add(name);
      } else if (kind === "TYPE") {
        assert.match(rest, /^(counter|gauge|histogram)$/);
        assert.ok(!types.has(name), `TYPE twice: ${line}`);
        types.set(name, rest);
      } else {
        const sample = parseSample(line);
        const family = familyOf(sample.name, types);
        assert.ok(family !== undefined && helped.has(family), `no HELP and TYPE before: ${line}`);
        samples.push(sample);
      }
    }
    const keys = samples.map(({ name, labels }) =>
      `${name} ${JSON.stringify(Object.entries(labels).sort())}`
    );
    assert.equal(new Set(keys).size, keys.length, "each series stands once");
    this.samples = samples;
    this.types = types;
  }

  /** Sum of the samples of this name that have these labels; 0 where there are none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** All values of a label of one metric, in order. */
  labelValues(name: string, label: string): string[] {
    const values = this.samples.filter((sample) => sample.name === name).map(({ labels }) => labels[label]);
    return [...new Set(values.filter((value) => value !== undefined))].sort();
  }
}

const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"`;

function parseSample(line: string): Sample {
  const form = new RegExp(String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(${LABEL}(?:,${LABEL})*)\})? (\S+)$`);
  const match = form.exec(line);
  assert.ok(match !== null, `no sample: ${line}`);
  const labels = Object.fromEntries(
    [...(match[2] ?? "").matchAll(new RegExp(LABEL, "g"))].map(([, key, value]) => [key, value]),
  );
  const value = Number(match.at(-1));
  assert.ok(Number.isFinite(value), line);
  return { name: match[1] ?? "", labels, value };
}

/** A histogram's samples carry endings. */
function familyOf(name: string, types: ReadonlyMap<string, string>): string | undefined {
  if (types.has(name)) return name;
  const base = name.replace(/_(bucket|sum|count)$/, "");
  return types.get(base) === "histogram" ? base : undefined;
}
