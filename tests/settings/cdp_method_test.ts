import assert from "node:assert/strict";
import { methodPatternProblem } from "../../src/settings/cdp_method.ts";

Deno.test("methodPatternProblem() passes methods and patterns that end with a star", () => {
  for (const pattern of ["Browser.close", "Target.*", "Page.set*", "CSS.getMatchedStylesForNode", "PWA.*"]) {
    assert.equal(methodPatternProblem(pattern), undefined, pattern);
  }
});

Deno.test("methodPatternProblem() refuses everything else and quotes it", () => {
  for (
    const pattern of [
      "",
      "*",
      "*.*",
      "Browser",
      "Browser.",
      "browser.close",
      "Browser.Close",
      "Browser.close.x",
      "Browser.close()",
      "*.close",
      "Browser.*close",
      "Browser.cl*se",
      "Target.**",
      "Browser. close",
      "Bröwser.close",
    ]
  ) {
    assert.ok(methodPatternProblem(pattern)?.endsWith(`not "${pattern}"`), pattern);
  }
});
