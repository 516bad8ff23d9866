import assert from "node:assert/strict";
import { withoutCredentials } from "../../src/browser/credentials.ts";

Deno.test("withoutCredentials() takes user and password out of every URL", () => {
  assert.equal(
    withoutCredentials("from https://me:pa@ss@mirror.test/a and http://x@y/ but not mail@example.test"),
    "from https://mirror.test/a and http://y/ but not mail@example.test",
  );
  assert.equal(withoutCredentials("https://mirror.test/a@b?c=d@e"), "https://mirror.test/a@b?c=d@e");
});
