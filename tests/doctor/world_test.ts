import assert from "node:assert/strict";
import { shellText, withToolPath } from "../../src/doctor/world.ts";
import { doctorWorld, programs } from "./test_world.ts";

const signal = new AbortController().signal;

Deno.test("shellText() finds the system's tools without a PATH, and passes arguments as they are", async () => {
  const world = await doctorWorld({ env: {} });
  assert.equal(await shellText(world, signal, 'cat /dev/null; printf "%s-" "$@"', "a b", "$c"), "a b-$c-");
});

Deno.test("shellText() is undefined where there is no shell", async () => {
  assert.equal(await shellText(await doctorWorld({ run: programs({}) }), signal, "true"), undefined);
});

Deno.test("withToolPath() looks where the user looks first", () => {
  assert.match(
    withToolPath({ PATH: "/opt/bin::/home/bin" })["PATH"] ?? "",
    /^\/opt\/bin:\/home\/bin:\/usr\/local\/bin:/,
  );
  assert.equal(withToolPath({ HOME: "/h" })["HOME"], "/h");
});
