import assert from "node:assert/strict";
import { isShiftable, parsePortRange, portRangeProblem } from "../../src/settings/port_range.ts";

Deno.test("parsePortRange() reads one port or a range of them", () => {
  assert.deepEqual(parsePortRange("9300"), { first: 9300, last: 9300 });
  assert.deepEqual(parsePortRange("9300-9399"), { first: 9300, last: 9399 });
  assert.deepEqual(parsePortRange("1-65535"), { first: 1, last: 65_535 });
  assert.deepEqual(parsePortRange("7-7"), { first: 7, last: 7 });
  assert.equal(parsePortRange(undefined), undefined);
  assert.equal(parsePortRange("0"), undefined);
});

Deno.test("portRangeProblem() shows the form", () => {
  for (
    const text of [
      "",
      "x",
      "9300-",
      "-9300",
      "+9300",
      "9300 - 9399",
      "9300,9301",
      "9300-9301-9302",
      "9300:9399",
      "1e3",
      "0x50",
      "80.0",
      "٩٣٠٠",
      "9300\n",
    ]
  ) {
    assert.match(portRangeProblem(text) ?? "", /"9300-9399"/, text);
  }
});

Deno.test("portRangeProblem() refuses numbers that are no ports, and a range the wrong way round", () => {
  for (const text of ["0", "0-5", "65536", "9300-65536", "65536-65537", "9".repeat(400)]) {
    assert.equal(portRangeProblem(text), "must be between 1 and 65535", text);
  }
  assert.match(portRangeProblem("9399-9300") ?? "", /end before it starts/);
});

Deno.test("isShiftable() wants every shifted port to be one", () => {
  const range = { first: 9300, last: 9399 };
  for (const offset of [0, 1, 56_136, -9299]) assert.equal(isShiftable(range, offset), true, `${offset}`);
  for (const offset of [56_137, -9300, 65_535, -65_535]) {
    assert.equal(isShiftable(range, offset), false, `${offset}`);
  }
});
