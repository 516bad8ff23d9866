import assert from "node:assert/strict";
import fc from "fast-check";
import { authorityFile, cookieFor, newCookie } from "../../src/platform/x_display.ts";

/** One entry of an authority file, in big endian. */
function entry(family: number, ...fields: readonly string[]): number[] {
  return [family >> 8, family & 0xff].concat(
    ...fields.map((field) => [0, field.length, ...new TextEncoder().encode(field)]),
  );
}

Deno.test("cookieFor() finds the cookie of a display among others", () => {
  const file = Uint8Array.from([
    ...entry(256, "host", "1", "XDM-AUTHORIZATION-1", "other way"),
    ...entry(256, "host", "1", "MIT-MAGIC-COOKIE-1", "first"),
    ...entry(0xffff, "", "2", "MIT-MAGIC-COOKIE-1", "second"),
  ]);
  const text = (number: number): string | undefined => {
    const cookie = cookieFor(number, file);
    return cookie && new TextDecoder().decode(cookie.data);
  };
  assert.deepEqual([text(1), text(2), text(3)], ["first", "second", undefined]);
});

Deno.test("cookieFor() reads what authorityFile() writes, for any display", () => {
  const cookie = newCookie();
  assert.deepEqual(cookieFor(7, authorityFile(cookie)), cookie);
});

Deno.test("cookieFor() takes any bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
    cookieFor(0, bytes);
  }));
});
