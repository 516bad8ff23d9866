import assert from "node:assert/strict";
import {
  childEnvironment,
  type ChildEnvironmentOptions,
  PRIVATE_TMP,
} from "../../src/upstream/environment.ts";
import { PRIVATE_TEMP_VARIABLE } from "../../src/upstream/private_temp.ts";

const OPTIONS: ChildEnvironmentOptions = {
  secretNames: [],
  managedCdp: false,
  extension: false,
  generation: "00000000-0000-4000-8000-000000000000",
  forced: {},
  os: "linux",
};
const MARKER = { CLOAKBROWSER_MCP_GENERATION: OPTIONS.generation };

function child(
  env: Record<string, string>,
  changes: Partial<ChildEnvironmentOptions> = {},
): Record<string, string> {
  return childEnvironment(env, { ...OPTIONS, ...changes });
}

Deno.test("childEnvironment() passes what a browser and upstream need", () => {
  const env = Object.fromEntries(
    [
      ..."ALL_PROXY APPDATA CLOAKBROWSER_AUTO_UPDATE CLOAKBROWSER_CACHE_DIR CLOAKBROWSER_LICENSE_KEY COMSPEC"
        .split(" "),
      ..."DBUS_SESSION_BUS_ADDRESS DISPLAY HOME HOMEDRIVE HOMEPATH HTTP_PROXY HTTPS_PROXY LANG LC_ALL".split(
        " ",
      ),
      ..."LC_CTYPE LC_MESSAGES LOCALAPPDATA NODE_EXTRA_CA_CERTS NO_PROXY PATH PATHEXT Path".split(" "),
      ..."PLAYWRIGHT_BROWSERS_PATH PLAYWRIGHT_CHROMIUM_DOWNLOAD_HOST PLAYWRIGHT_DOWNLOAD_HOST".split(" "),
      ..."PLAYWRIGHT_FIREFOX_DOWNLOAD_HOST PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD".split(" "),
      ..."PLAYWRIGHT_WEBKIT_DOWNLOAD_HOST SSL_CERT_DIR SSL_CERT_FILE SystemRoot TEMP TERM TMP TMPDIR".split(
        " ",
      ),
      ..."USERPROFILE WAYLAND_DISPLAY WINDIR XAUTHORITY XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME".split(
        " ",
      ),
      ..."XDG_RUNTIME_DIR all_proxy http_proxy https_proxy no_proxy".split(" "),
      ..."DEBUG TZ LANGUAGE FONTCONFIG_PATH FONTCONFIG_FILE LD_LIBRARY_PATH LOGNAME USER SHELL".split(" "),
      ..."PLAYWRIGHT_MCP_CAPS PLAYWRIGHT_MCP_PROXY_SERVER PLAYWRIGHT_MCP_CDP_ENDPOINT".split(" "),
      "CLOAK_PLAYWRIGHT_MCP_HUMAN_PRESET",
    ].map((name) => [name, `value of ${name}`]),
  );
  assert.deepEqual(child(env), { ...env, ...MARKER });
});

Deno.test("childEnvironment() passes nothing else", () => {
  assert.deepEqual(
    child({
      NODE_OPTIONS: "--require=x",
      AWS_SECRET_ACCESS_KEY: "x",
      GITHUB_TOKEN: "x",
      LD_PRELOAD: "x",
      CLOAKBROWSER_LICENSE_KEY_FILE: "x",
      CLOAKBROWSER_MCP_GENERATION: "of another process",
      PLAYWRIGHT_MCP_CONFIG: "x",
      PLAYWRIGHT_MCP_PORT: "1",
      PLAYWRIGHT_MCP_HOST: "x",
      PLAYWRIGHT_MCP_ALLOWED_HOSTS: "x",
      PLAYWRIGHT_MCP_EXTENSION_TOKEN: "x",
      path: "lower case is another name",
    }),
    MARKER,
  );
});

Deno.test("childEnvironment() keeps our own secrets, by name and by list", () => {
  assert.deepEqual(
    child({
      CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN: "x",
      CLOAK_PLAYWRIGHT_MCP_HTTP_AUTH_TOKEN_FILE: "x",
      CLOAK_PLAYWRIGHT_MCP_HTTPS_PASSPHRASE: "x",
      CLOAK_PLAYWRIGHT_MCP_HTTPS_KEY: "x",
      CLOAK_PLAYWRIGHT_MCP_ANY_SECRET: "x",
      CLOAK_PLAYWRIGHT_MCP_DB_PASSWORD: "x",
      CLOAK_PLAYWRIGHT_MCP_LISTED: "x",
      PLAYWRIGHT_MCP_LISTED: "x",
    }, { secretNames: ["CLOAK_PLAYWRIGHT_MCP_LISTED", "PLAYWRIGHT_MCP_LISTED"] }),
    MARKER,
  );
});

Deno.test("childEnvironment() keeps upstream's CDP options only with managed CDP", () => {
  const env = { PLAYWRIGHT_MCP_CDP_ENDPOINT: "http://localhost:9222", PLAYWRIGHT_MCP_CDP_HEADERS: "a: b" };
  assert.deepEqual(child(env), { ...env, ...MARKER });
  assert.deepEqual(child(env, { managedCdp: true }), MARKER);
});

Deno.test("childEnvironment() passes the extension's token to the extension alone", () => {
  const env = { PLAYWRIGHT_MCP_EXTENSION_TOKEN: "token" };
  assert.deepEqual(child(env), MARKER);
  assert.deepEqual(child(env, { extension: true }), { ...env, ...MARKER });
});

Deno.test("childEnvironment() lets forced values win, and takes names out", () => {
  const env = { PLAYWRIGHT_MCP_HEADLESS: "false", PLAYWRIGHT_MCP_INIT_PAGE: "a.ts", HOME: "/root" };
  const forced = { PLAYWRIGHT_MCP_HEADLESS: "true", PLAYWRIGHT_MCP_INIT_PAGE: undefined, EXTRA: "1" };
  assert.deepEqual(child(env, { forced }), {
    HOME: "/root",
    PLAYWRIGHT_MCP_HEADLESS: "true",
    EXTRA: "1",
    ...MARKER,
  });
});

Deno.test("childEnvironment() knows names in any case on Windows", () => {
  assert.deepEqual(
    child({
      Path: "C:\\bin",
      systemroot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\Program Files (x86)",
      Playwright_Mcp_Caps: "pdf",
      node_options: "x",
      Cloak_Playwright_Mcp_Http_Auth_Token: "x",
      playwright_mcp_config: "x",
      listed: "x",
      playwright_mcp_headless: "false",
    }, { os: "windows", secretNames: ["LISTED"], forced: { PLAYWRIGHT_MCP_HEADLESS: "true" } }),
    {
      Path: "C:\\bin",
      systemroot: "C:\\Windows",
      "ProgramFiles(x86)": "C:\\Program Files (x86)",
      Playwright_Mcp_Caps: "pdf",
      PLAYWRIGHT_MCP_HEADLESS: "true",
      ...MARKER,
    },
  );
});

Deno.test("PRIVATE_TMP is the name that the hidden command reads", () => {
  assert.equal(PRIVATE_TMP, PRIVATE_TEMP_VARIABLE);
});
