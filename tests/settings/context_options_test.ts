import assert from "node:assert/strict";
import { contextOptionsProblem } from "../../src/settings/context_options.ts";
import { refusals, settle } from "./settle.ts";

Deno.test("contextOptionsProblem() takes everything that is documented", () => {
  const whole = {
    userAgent: "agent",
    viewport: { width: 800, height: 600 },
    locale: "de-DE",
    timezoneId: "Europe/Berlin",
    colorScheme: "no-preference",
    permissions: ["geolocation"],
    geolocation: { longitude: -180, latitude: 90, accuracy: 0 },
    extraHTTPHeaders: { "X-One": "1" },
    httpCredentials: { username: "", password: "", origin: "https://a.example", send: "always" },
    ignoreHTTPSErrors: true,
    offline: false,
    deviceScaleFactor: 0.5,
    isMobile: true,
    hasTouch: false,
  };
  for (
    const options of [{}, whole, { viewport: null }, { geolocation: { longitude: 1, latitude: 1 } }, {
      httpCredentials: { username: "a", password: "b" },
    }]
  ) assert.equal(contextOptionsProblem(options), undefined, JSON.stringify(options));
});

Deno.test("contextOptionsProblem() names the member that is wrong, and what it has to be", () => {
  const cases: readonly (readonly [options: Record<string, unknown>, problem: string])[] = [
    [{ userAgent: " " }, 'must have a string as "userAgent"'],
    [{ userAgent: null }, 'must have a string as "userAgent"'],
    [{ viewport: "800x600" }, 'must have an object as "viewport"'],
    [{ viewport: { width: 800 } }, 'must have a whole number above 0 as "viewport.height"'],
    [{ viewport: { width: 0, height: 1 } }, 'must have a whole number above 0 as "viewport.width"'],
    [
      { viewport: { width: 1, height: 1, depth: 1 } },
      'must not have "viewport.depth", which is not supported',
    ],
    [{ locale: "english please" }, 'must have a language such as "de-DE" as "locale"'],
    [{ timezoneId: "Mars/Phobos" }, 'must have a time zone such as "Europe/Berlin" as "timezoneId"'],
    [{ colorScheme: "red" }, 'must have one of "dark", "light", "no-preference" as "colorScheme"'],
    [{ permissions: "geolocation" }, 'must have an array of strings as "permissions"'],
    [{ permissions: [1] }, 'must have an array of strings as "permissions"'],
    [{ geolocation: { latitude: 1 } }, 'must have a number from -180 to 180 as "geolocation.longitude"'],
    [
      { geolocation: { longitude: 1, latitude: 91 } },
      'must have a number from -90 to 90 as "geolocation.latitude"',
    ],
    [
      { geolocation: { longitude: 1, latitude: 1, accuracy: -1 } },
      'must have a number from 0 on as "geolocation.accuracy"',
    ],
    [{ extraHTTPHeaders: { a: 1 } }, 'must have an object of strings as "extraHTTPHeaders"'],
    [{ extraHTTPHeaders: { "a b": "1" } }, 'must have an object of strings as "extraHTTPHeaders"'],
    [{ httpCredentials: { username: "a" } }, 'must have a string as "httpCredentials.password"'],
    [
      { httpCredentials: { username: "a", password: "b", send: "never" } },
      'must have one of "always", "unauthorized" as "httpCredentials.send"',
    ],
    [{ ignoreHTTPSErrors: "true" }, 'must have true or false as "ignoreHTTPSErrors"'],
    [{ offline: 1 }, 'must have true or false as "offline"'],
    [{ deviceScaleFactor: 0 }, 'must have a number above 0 as "deviceScaleFactor"'],
    [{ isMobile: true, viewport: null }, 'must not have "isMobile" while "viewport" is null'],
    [{ storageState: "x" }, 'must not have "storageState", which is not supported'],
    [JSON.parse('{"__proto__": 1}'), 'must not have "__proto__", which is not supported'],
  ];
  for (const [options, problem] of cases) {
    assert.equal(contextOptionsProblem(options), problem, JSON.stringify(options));
  }
});

Deno.test("--context-options takes a JSON object from anywhere, and repeats none that is wrong", async () => {
  const name = "CLOAK_PLAYWRIGHT_MCP_CONTEXT_OPTIONS";
  const { settings } = await settle({ env: { [name]: '{"locale":"de-DE"}' } });
  assert.deepEqual(settings.contextOptions, { locale: "de-DE" });
  const fromFile = await settle({
    flags: [{ flag: "--context-options-file", value: "/o.json" }],
    files: { "/o.json": '{"offline":true}\n' },
  });
  assert.deepEqual(fromFile.settings.contextOptions, { offline: true });
  for (const wrong of ["", "{", "[]", "null", '"x"', "7"]) {
    assert.deepEqual(await refusals({ env: { [name]: wrong } }), [
      `Cannot use the value of ${name}: it must be a JSON object`,
    ]);
  }
  assert.deepEqual(
    await refusals({ flags: [{ flag: "--context-options", value: '{"offline":"secret"}' }] }),
    [
      'Cannot use the value of --context-options: it must have true or false as "offline"',
    ],
  );
});
