import assert from "node:assert/strict";
import { checkAccept } from "../../../src/http/guards/accept.ts";
import { PASSED } from "../../../src/http/refusal.ts";
import { refused, request } from "../requests.ts";

const check = (method: string, accept: string): ReturnType<typeof checkAccept> =>
  checkAccept(request({ accept }, { method }));

Deno.test("checkAccept() passes clients that name what they understand", () => {
  assert.deepEqual(check("POST", "application/json, text/event-stream"), PASSED);
  assert.deepEqual(check("POST", "Text/Event-Stream;q=0.5,APPLICATION/JSON;q=0.001, */*"), PASSED);
  assert.deepEqual(check("GET", "text/event-stream"), PASSED);
  assert.deepEqual(check("DELETE", "text/html"), PASSED);
});

Deno.test("checkAccept() wants both forms of a POST", () => {
  const wrong = [
    "application/json",
    "text/event-stream",
    "*/*",
    "",
    "application/json, text/event-stream;q=0",
  ];
  for (const accept of wrong) {
    assert.match(
      refused(check("POST", accept), 406).message,
      /both application\/json and text\/event-stream/,
    );
  }
});

Deno.test("checkAccept() wants the stream of a GET", () => {
  for (const accept of ["application/json", "*/*", "", "text/event-stream; q=0.000"]) {
    assert.match(refused(check("GET", accept), 406).message, /must accept text\/event-stream/);
  }
});
