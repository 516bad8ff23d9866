import assert from "node:assert/strict";
import { CDP_OPTIONS } from "../../../src/settings/options/cdp.ts";
import { refusals, settle, type Situation } from "../settle.ts";

function flag(name: string, ...values: readonly string[]): Situation {
  return {
    flags: [
      { flag: "--transport", value: "streamable-http" },
      { flag: "--cdp-port-range", value: "9300-9399" },
      ...values.map((value) => ({ flag: name, value })),
    ],
  };
}

async function refuses(name: string, values: readonly string[], text: RegExp): Promise<void> {
  for (const value of values) assert.match((await refusals(flag(name, value))).join(), text, value);
}

Deno.test("CDP_OPTIONS have flags and variables that follow from their keys", () => {
  for (const [key, option] of Object.entries(CDP_OPTIONS)) {
    const words = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    assert.equal(option.flag, `--${words}`);
    assert.deepEqual(option.env, [`CLOAK_PLAYWRIGHT_MCP_${words.replaceAll("-", "_").toUpperCase()}`]);
    assert.equal(option.scope, key === "cdpEnabled" ? "session" : "process", key);
  }
});

Deno.test("cdpEnabled is off; of both forms the last holds, and a flag shadows a wrong variable", async () => {
  assert.equal((await settle({})).settings.cdpEnabled, false);
  const range = { flag: "--cdp-port-range", value: "9300" };
  const on = { flag: "--cdp-enabled" };
  const off = { flag: "--no-cdp-enabled" };
  assert.equal((await settle({ flags: [range, on] })).settings.cdpEnabled, true);
  assert.equal((await settle({ flags: [range, on, off] })).settings.cdpEnabled, false);
  assert.equal((await settle({ flags: [range, off, on] })).settings.cdpEnabled, true);
  const env = (text: string): Situation["env"] & object => ({ CLOAK_PLAYWRIGHT_MCP_CDP_ENABLED: text });
  assert.equal((await settle({ flags: [range], env: env(" True ") })).settings.cdpEnabled, true);
  assert.equal((await settle({ flags: [range, off], env: env("maybe") })).settings.cdpEnabled, false);
  for (const wrong of ["1", "yes", "on", "", "maybe"]) {
    assert.match((await refusals({ env: env(wrong) })).join(), /CDP_ENABLED: it must be "true" or "false"/);
  }
});

Deno.test("cdpPortRange is one port or a range of them", async () => {
  for (const range of ["9300", "9300-9399"]) {
    const { settings } = await settle({ flags: [{ flag: "--cdp-port-range", value: range }] });
    assert.equal(settings.cdpPortRange, range);
  }
  await refuses(
    "--cdp-port-range",
    ["0", "65536", "0-9"],
    /--cdp-port-range: it must be between 1 and 65535/,
  );
  await refuses("--cdp-port-range", ["9399-9300"], /--cdp-port-range: it must not end before/);
  await refuses("--cdp-port-range", ["", "x", "-1", "9300 -9399", "1e3"], /--cdp-port-range: it must/);
});

Deno.test("cdpHost and cdpAdvertisedHost are canonical hosts", async () => {
  for (const name of ["--cdp-host", "--cdp-advertised-host"]) {
    for (const host of ["0", "127.1", "0x7f000001", "http://h", "h:80", "me@h", "h/x", "[::1]", ""]) {
      assert.ok((await refusals(flag(name, host))).join().includes(`${name}: it must`), `${name} ${host}`);
    }
  }
  assert.equal((await settle(flag("--cdp-host", "::1"))).settings.cdpHost, "::1");
  await refuses("--cdp-advertised-host", ["0.0.0.0", "::"], /--cdp-advertised-host: it must be concrete/);
});

Deno.test("cdpAdvertisedScheme is http or https in lower case", async () => {
  assert.equal(
    (await settle(flag("--cdp-advertised-scheme", "https"))).settings.cdpAdvertisedScheme,
    "https",
  );
  await refuses("--cdp-advertised-scheme", ["HTTPS", "wss", ""], /must be "http" or "https"/);
});

Deno.test("cdpMethodsDeny are methods of CDP", async () => {
  const { settings } = await settle(flag("--cdp-methods-deny", "Browser.close, Target.*", "Page.set*"));
  assert.deepEqual(settings.cdpMethodsDeny, ["Browser.close", "Target.*", "Page.set*"]);
  assert.deepEqual((await settle({})).settings.cdpMethodsDeny, []);
  await refuses("--cdp-methods-deny", ["Browser", "*", "Browser.close,x"], /must hold CDP methods/);
});

Deno.test("the limits of CDP have their defaults and bounds", async () => {
  const { settings } = await settle({});
  assert.equal(settings.cdpMaxConnections, 8);
  assert.equal(settings.cdpMaxHttpRequests, 16);
  assert.equal(settings.cdpMaxMessageBytes, 0);
  assert.equal(settings.cdpMaxHeaderBytes, 16_384);
  assert.equal(settings.cdpBootstrapTimeoutMs, 60_000);
  assert.equal(settings.cdpRequestTimeoutMs, 10_000);
  assert.equal(settings.cdpAdvertisedPortOffset, 0);
  for (const limit of ["connections", "http-requests"]) {
    await refuses(`--cdp-max-${limit}`, ["0"], /from 1 to/);
  }
  for (const limit of ["bootstrap", "request"]) {
    await refuses(`--cdp-${limit}-timeout-ms`, ["0", "2147483648"], /from 1 to/);
  }
  await refuses("--cdp-max-message-bytes", ["-1", "1.5"], /from 0 to/);
  await refuses("--cdp-max-header-bytes", ["1023"], /from 1024 to/);
  await refuses("--cdp-advertised-port-offset", ["65536", "-65536", "x"], /from -65535 to 65535/);
});
