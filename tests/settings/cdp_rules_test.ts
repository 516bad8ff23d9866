import assert from "node:assert/strict";
import { canUseCdp, cdpEnabledProblems } from "../../src/settings/cdp_rules.ts";
import { readSessionOptions, withSessionOptions } from "../../src/settings/session_options.ts";
import type { FlagOccurrence } from "../../src/settings/upstream_options.ts";
import { CWD, inFile, judge, refusals, settle, type Situation } from "./settle.ts";

/** `--flag=value` words; over stdio where they do not say otherwise. */
function given(...words: readonly string[]): Situation {
  const flags: FlagOccurrence[] = words.map((word) => {
    const equals = word.indexOf("=");
    return equals === -1 ? { flag: word } : { flag: word.slice(0, equals), value: word.slice(equals + 1) };
  });
  return { flags };
}

const HTTP = "--transport=streamable-http";
const RANGE = "--cdp-port-range=9300-9399";
const ENABLED = [RANGE, "--cdp-enabled"];
const REPLACED = '--upstream-command=["other"]';

async function problem(...words: readonly string[]): Promise<string> {
  const problems = await refusals(given(...words));
  assert.equal(problems.length, 1, `${words}: ${problems.join(" | ")}`);
  return problems[0] ?? "";
}

async function notices(...words: readonly string[]): Promise<readonly string[]> {
  return (await settle(given(...words))).notices;
}

Deno.test("judgeCdp() passes the defaults, a range and what enables it without a word", async () => {
  for (const words of [[], [HTTP], [HTTP, RANGE], ENABLED, [HTTP, ...ENABLED], ["--no-cdp-enabled"]]) {
    assert.deepEqual(await notices(...words), [], words.join(" "));
  }
});

Deno.test("judgeCdp() wants a range of ports where CDP is enabled for every session", async () => {
  assert.match(
    await problem("--cdp-enabled"),
    /^Cannot use --cdp-enabled: a CDP port range is required when managed CDP is enabled/,
  );
  assert.match((await refusals(inFile({ cdpEnabled: true }))).join(), /"cdpEnabled" in .*range is required/);
});

Deno.test("judgeCdp() does not call an option missing that has a wrong value", async () => {
  assert.match(await problem("--cdp-enabled", "--cdp-port-range=x"), /--cdp-port-range: it must be a port/);
  const wildcard = [...ENABLED, "--cdp-allow-remote", "--cdp-host=0.0.0.0"];
  assert.match(await problem(...wildcard, "--cdp-advertised-host=::"), /must be concrete/);
  assert.match(
    await problem(...ENABLED, "--cdp-tls-cert= ", "--cdp-tls-key=k"),
    /cert: it must not be blank/,
  );
});

Deno.test("judgeCdp() refuses an address that other machines reach without the opt-in", async () => {
  for (const host of ["192.0.2.7", "2001:db8::7", "cdp.example", "localhost.example", "128.0.0.1"]) {
    for (const words of [ENABLED, [HTTP, RANGE]]) {
      const text = await problem(...words, `--cdp-host=${host}`);
      assert.ok(text.startsWith(`Cannot use "${host}" for --cdp-host: other machines reach it`), text);
      assert.match(text, /--cdp-allow-remote/);
    }
  }
  for (const host of ["localhost", "LOCALHOST", "127.8.9.1", "::1"]) {
    assert.deepEqual(await refusals(given(...ENABLED, `--cdp-host=${host}`)), [], host);
  }
});

Deno.test("judgeCdp() wants a host to advertise where it listens on every address", async () => {
  for (const host of ["0.0.0.0", "::"]) {
    const wildcard = [...ENABLED, "--cdp-allow-remote", `--cdp-host=${host}`];
    assert.match(
      await problem(...wildcard),
      /a wildcard bind host requires an advertised host.*--cdp-advertised-host/,
    );
    assert.deepEqual(await refusals(given(...wildcard, "--cdp-advertised-host=cdp.example")), []);
  }
  const both = await refusals(given(...ENABLED, "--cdp-host=::"));
  assert.equal(both.length, 2);
  assert.match(both.join(), /--cdp-allow-remote/);
});

Deno.test("judgeCdp() wants certificate and key together, and advertises https with them", async () => {
  assert.match(await problem(...ENABLED, "--cdp-tls-cert=c"), /--cdp-tls-cert alone.*Add --cdp-tls-key/);
  assert.match(await problem(...ENABLED, "--cdp-tls-key=k"), /--cdp-tls-key alone.*Add --cdp-tls-cert/);
  const tls = [...ENABLED, "--cdp-tls-cert=c", "--cdp-tls-key=k"];
  const { settings, origins } = await settle(given(...tls));
  assert.equal(settings.cdpTlsCert, `${CWD}/c`);
  assert.equal(settings.cdpAdvertisedScheme, "https");
  assert.equal(origins.cdpAdvertisedScheme.kind, "default");
  assert.equal((await settle(given(...ENABLED))).settings.cdpAdvertisedScheme, "http");
  assert.match(
    await problem(...tls, "--cdp-advertised-scheme=http"),
    /--cdp-advertised-scheme http together with --cdp-tls-cert/,
  );
  assert.deepEqual(await refusals(given(...tls, "--cdp-advertised-scheme=https")), []);
  assert.deepEqual(await refusals(given(...ENABLED, "--cdp-advertised-scheme=https")), []);
});

Deno.test("judgeCdp() keeps the advertised ports within what a port can be", async () => {
  for (const offset of ["-9299", "56136", "-300"]) {
    assert.deepEqual(await refusals(given(...ENABLED, `--cdp-advertised-port-offset=${offset}`)), [], offset);
  }
  for (const offset of ["-9300", "56137", "65535"]) {
    assert.equal(
      await problem(...ENABLED, `--cdp-advertised-port-offset=${offset}`),
      `Cannot use "${offset}" for --cdp-advertised-port-offset: it moves ports of "9300-9399" for ` +
        "--cdp-port-range out of 1 to 65535",
    );
  }
});

Deno.test("judgeCdp() warns of an unencrypted way in from other machines, only where there is one", async () => {
  const remote = ["--cdp-host=2001:db8::7", "--cdp-allow-remote"];
  for (const words of [ENABLED, [HTTP, RANGE]]) {
    const found = await notices(...words, ...remote);
    assert.equal(found.length, 1);
    assert.match(found[0] ?? "", /^CDP addresses on "\[2001:db8::7\]" are an unencrypted way to control/);
  }
  assert.deepEqual(await notices(...ENABLED, "--cdp-allow-remote"), [], "loopback");
  assert.deepEqual(await notices(...ENABLED, ...remote, "--cdp-advertised-scheme=https"), []);
  assert.deepEqual(await notices(...ENABLED, ...remote, "--cdp-tls-cert=c", "--cdp-tls-key=k"), []);
  assert.doesNotMatch((await notices(HTTP, ...remote)).join(), /unencrypted/);
});

Deno.test("judgeCdp() notes what has no effect without a range, and refuses nothing", async () => {
  assert.deepEqual(
    await notices(HTTP, "--cdp-host=0.0.0.0", "--cdp-allow-remote", "--cdp-tls-cert=c"),
    [
      "--cdp-host, --cdp-allow-remote, --cdp-tls-cert have no effect without a range of ports: add --cdp-port-range",
    ],
  );
});

Deno.test("judgeCdp() does not ask for a range where a wrong one is given", async () => {
  const { problems, resolved } = await judge(given(HTTP, "--cdp-port-range=5-3", "--cdp-allow-remote"));
  assert.equal(problems.length, 1);
  assert.deepEqual(resolved.notices, []);
});

Deno.test("judgeCdp() notes a range that no session can use", async () => {
  assert.deepEqual(await notices(RANGE), [
    "--cdp-port-range has no effect over stdio without --cdp-enabled",
  ]);
  assert.deepEqual(await notices(RANGE, "--no-cdp-enabled"), []);
  assert.match(
    (await notices(HTTP, RANGE, "--session-options-allow=headless")).join(),
    /--cdp-port-range has no effect without --cdp-enabled, as --session-options-allow/,
  );
  assert.deepEqual(await notices(HTTP, RANGE, "--session-options-allow=cdpEnabled"), []);
  assert.deepEqual(await notices(HTTP, ...ENABLED, "--session-options-allow="), []);
});

Deno.test("judgeCdp() refuses CDP with another upstream, and notes its options there", async () => {
  for (const words of [ENABLED, ["--cdp-enabled"], [HTTP, ...ENABLED]]) {
    assert.match(
      await problem(...words, REPLACED),
      /--cdp-enabled together with --upstream-command: another upstream starts a browser that is not ours/,
    );
  }
  assert.deepEqual(await notices(HTTP, RANGE, REPLACED), [
    "--cdp-port-range has no effect with --upstream-command: its browser is not ours to share",
  ]);
});

Deno.test("cdpEnabledProblems() judges a session that asks for CDP itself", async () => {
  const ask = async (words: readonly string[], cdpEnabled: boolean): Promise<string[]> => {
    const base = { ...await settle(given(...words)), env: {} };
    const params = { _meta: { cloakbrowser: { cdpEnabled } } };
    const { settings, origins } = withSessionOptions(base, readSessionOptions(params, undefined, CWD));
    return cdpEnabledProblems(settings, origins);
  };
  assert.deepEqual(await ask([HTTP, RANGE], true), []);
  assert.deepEqual(await ask([HTTP, ...ENABLED], false), []);
  assert.deepEqual(await ask([HTTP], false), []);
  assert.match((await ask([HTTP], true)).join(), /^Cannot use cdpEnabled: a CDP port range is required/);
  assert.match((await ask([HTTP, RANGE, REPLACED], true)).join(), /^Cannot use cdpEnabled together with/);
});

Deno.test("canUseCdp() tells whether any session can get a CDP address", async () => {
  const can = async (...words: string[]): Promise<boolean> =>
    canUseCdp((await settle(given(...words))).settings);
  assert.equal(await can(), false);
  assert.equal(await can(RANGE), false);
  assert.equal(await can(HTTP), false);
  assert.equal(await can(...ENABLED), true);
  assert.equal(await can(HTTP, RANGE), true);
  assert.equal(await can(HTTP, RANGE, "--no-cdp-enabled"), true);
  assert.equal(await can(HTTP, RANGE, "--session-options-allow="), false);
  assert.equal(await can(HTTP, RANGE, REPLACED), false);
});
