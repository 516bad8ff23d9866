import assert from "node:assert/strict";
import {
  isEmpty,
  NO_SESSION_OPTIONS,
  readSessionOptions,
  SESSION_META_KEYS,
  sessionOptionKeys,
  withSessionOptions,
} from "../../src/settings/session_options.ts";
import { AppError } from "../../src/errors.ts";
import { CWD, settle } from "./settle.ts";

function read(
  fields: unknown,
  allowed?: readonly string[],
  key = "cloakbrowser",
): ReturnType<typeof readSessionOptions> {
  return readSessionOptions({ protocolVersion: "2025-11-25", _meta: { [key]: fields } }, allowed, CWD);
}

function refusal(fields: unknown, allowed?: readonly string[], key?: string): string {
  try {
    read(fields, allowed, key);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "usage", String(error));
    return error.message;
  }
  throw new assert.AssertionError({ message: `${JSON.stringify(fields)} is taken` });
}

Deno.test("readSessionOptions() finds nothing where nothing is asked for", () => {
  for (
    const params of [undefined, null, 7, [], {}, { _meta: null }, { _meta: {} }, { _meta: { other: 1 } }]
  ) {
    assert.deepEqual(readSessionOptions(params, undefined, CWD), NO_SESSION_OPTIONS);
  }
  assert.equal(isEmpty(NO_SESSION_OPTIONS), true);
});

Deno.test("readSessionOptions() takes both keys; the short one wins", () => {
  for (const key of SESSION_META_KEYS) {
    assert.deepEqual(read({ headless: false }, undefined, key).settings, { headless: false });
  }
  const [long, short] = SESSION_META_KEYS;
  const meta = { [short]: { headless: true }, [long]: { headless: false, userAgent: "x" } };
  const { settings, upstream } = readSessionOptions({ _meta: meta }, undefined, CWD);
  assert.deepEqual(settings, { headless: true });
  assert.deepEqual(upstream, [{ flag: "--user-agent", values: ["x"] }]);
});

Deno.test("readSessionOptions() trims texts, takes numbers and resolves paths", () => {
  const { upstream } = read({ userDataDir: " profile ", timeoutAction: 700, proxyServer: "http://p:1" });
  assert.deepEqual(upstream, [
    { flag: "--user-data-dir", values: [`${CWD}/profile`] },
    { flag: "--timeout-action", values: ["700"] },
    { flag: "--proxy-server", values: ["http://p:1"] },
  ]);
});

Deno.test("readSessionOptions() names every field that is wrong", () => {
  for (const key of sessionOptionKeys()) {
    const switched = ["headless", "cdpEnabled", "geoipProxyMatch", "extensionMode", "humanize"].includes(key);
    for (const wrong of [null, {}, [], switched ? "true" : true, switched ? 1 : "  "]) {
      if (key === "contextOptions" && JSON.stringify(wrong) === "{}") continue;
      if (key === "extensionPaths" && JSON.stringify(wrong) === "[]") continue;
      const given = key === "proxyBypass" ? { proxyServer: "p", [key]: wrong } : { [key]: wrong };
      assert.match(refusal(given), new RegExp(`^${key} must be `), `${key} ${JSON.stringify(wrong)}`);
    }
  }
  assert.equal(
    refusal({ headless: "no", viewportSize: "wide", codegen: "cobol" }),
    "headless must be true or false, without quotes; " +
      'viewportSize must be a width and a height such as "1280x720"; ' +
      'codegen must be "none", "typescript", "python", "java" or "csharp"',
  );
  assert.equal(refusal({ proxyBypass: "a.example" }), "proxyBypass requires proxyServer");
});

Deno.test("readSessionOptions() wants an object under either key", () => {
  for (const key of SESSION_META_KEYS) {
    for (const wrong of [null, "x", 1, true, [], [{}]]) {
      assert.equal(refusal(wrong, undefined, key), `${key} initialize metadata must be an object`);
    }
  }
});

Deno.test("readSessionOptions() keeps names that it does not know apart", () => {
  const options = read({ colour: "red", __proto__: null, headless: true });
  assert.deepEqual(options.ignored, ["colour"]);
  assert.deepEqual(options.settings, { headless: true });
});

Deno.test("readSessionOptions() obeys the operator", () => {
  assert.deepEqual(read({ headless: false }, ["headless"]).settings, { headless: false });
  assert.equal(
    refusal({ userAgent: "x" }, ["headless", "device"]),
    "userAgent may not be set by a session: this server allows only headless, device",
  );
  assert.equal(
    refusal({ headless: true }, []),
    "headless may not be set by a session: this server allows no session options",
  );
});

Deno.test("withSessionOptions() lays the session over flags and environment", async () => {
  const resolved = await settle({
    flags: [
      { flag: "--user-agent", value: "operator" },
      { flag: "--caps", value: "pdf" },
      { flag: "--isolated" },
    ],
  });
  const env = { PLAYWRIGHT_MCP_USER_AGENT: "environment", PLAYWRIGHT_MCP_ISOLATED: "true", KEEP: "1" };
  const base = { ...resolved, env };
  const configured = withSessionOptions(
    base,
    read({ headless: false, userAgent: "mine", userDataDir: "/p" }),
  );
  assert.equal(configured.settings.headless, false);
  assert.deepEqual(configured.origins.headless, { kind: "session", key: "headless" });
  assert.deepEqual(configured.settings.upstreamArgs, [
    { flag: "--caps", values: ["pdf"] },
    { flag: "--user-agent", values: ["mine"] },
    { flag: "--user-data-dir", values: ["/p"] },
  ]);
  assert.deepEqual(configured.env, { KEEP: "1", PLAYWRIGHT_MCP_ISOLATED: "false" });
  assert.deepEqual(base.env, env, "the process keeps its own");
});

Deno.test("withSessionOptions() keeps a proxy out of the command line and forgets the inherited bypass", async () => {
  const resolved = await settle({
    flags: [{ flag: "--proxy-server", value: "http://operator" }, { flag: "--proxy-bypass", value: "a" }],
  });
  const env = { PLAYWRIGHT_MCP_PROXY_BYPASS: "b" };
  const alone = withSessionOptions({ ...resolved, env }, read({ proxyServer: "http://me:secret@proxy:1" }));
  assert.deepEqual(alone.settings.upstreamArgs, []);
  assert.deepEqual(alone.env, { PLAYWRIGHT_MCP_PROXY_SERVER: "http://me:secret@proxy:1" });
  const both = withSessionOptions(
    { ...resolved, env },
    read({ proxyBypass: "c", proxyServer: "http://proxy" }),
  );
  assert.deepEqual(both.settings.upstreamArgs, [{ flag: "--proxy-bypass", values: ["c"] }]);
});

Deno.test("withSessionOptions() lays context options over those of the process, and over flags that say the same", async () => {
  const resolved = await settle({
    flags: [
      { flag: "--context-options", value: '{"locale":"fr-FR","viewport":null,"offline":true}' },
      { flag: "--user-agent", value: "operator" },
      { flag: "--ignore-https-errors" },
      { flag: "--viewport-size", value: "1x1" },
    ],
  });
  const base = { ...resolved, env: { PLAYWRIGHT_MCP_USER_AGENT: "environment" } };
  const options = read({ contextOptions: { userAgent: "mine", offline: false, ignoreHTTPSErrors: false } });
  const configured = withSessionOptions(base, options);
  assert.deepEqual(configured.settings.contextOptions, {
    locale: "fr-FR",
    viewport: null,
    offline: false,
    userAgent: "mine",
    ignoreHTTPSErrors: false,
  });
  assert.deepEqual(configured.settings.upstreamArgs, [{ flag: "--viewport-size", values: ["1x1"] }]);
  assert.deepEqual(configured.env, { PLAYWRIGHT_MCP_IGNORE_HTTPS_ERRORS: "false" });
  assert.throws(
    () => withSessionOptions(base, read({ contextOptions: { isMobile: true } })),
    new AppError("usage", 'contextOptions must not have "isMobile" while "viewport" is null'),
  );
});

Deno.test("readSessionOptions() names the member of an object that is wrong", () => {
  assert.equal(
    refusal({ contextOptions: { timezone: "UTC" } }),
    'contextOptions must not have "timezone", which is not supported (did you mean "timezoneId"?)',
  );
});

Deno.test("withSessionOptions() switches Playwright's extension on and off; its token is nobody's to send", async () => {
  const on = withSessionOptions(
    { ...await settle({}), env: {} },
    read({ extensionMode: true, profileDirName: "Profile 1" }),
  );
  assert.deepEqual(on.settings.upstreamArgs, [
    { flag: "--extension", values: [] },
    { flag: "--profile-dir-name", values: ["Profile 1"] },
  ]);
  const base = { ...await settle({ flags: [{ flag: "--extension" }] }), env: {} };
  const off = withSessionOptions(base, read({ extensionMode: false }));
  assert.deepEqual(off.settings.upstreamArgs, []);
  assert.deepEqual(off.env, { PLAYWRIGHT_MCP_EXTENSION: "false" });
  assert.match(
    refusal({ extensionToken: "t" }),
    /^extensionToken may not be set by a session: it comes from/,
  );
  for (const name of ["..", "a/b", "a\\b", "/a"]) {
    assert.equal(
      refusal({ profileDirName: name }),
      "profileDirName must be the name of a directory, not a path",
    );
  }
});

Deno.test("readSessionOptions() refuses times below zero and headers of several lines", () => {
  for (const key of ["timeoutAction", "timeoutNavigation", "timeoutSettle"]) {
    assert.match(refusal({ [key]: -1 }), new RegExp(`^${key} must not be negative`));
  }
  assert.match(refusal({ userAgent: "a\nb" }), /^userAgent must stand on one line/);
});
