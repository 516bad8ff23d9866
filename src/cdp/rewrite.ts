/**
 * Makes Chromium's own addresses in its discovery answers those of an endpoint.
 */

/** An address was found that is not one of the DevTools port that was asked. */
export class ForeignAddress extends Error {
  override readonly name = "ForeignAddress";
}

/**
 * `webSocketDebuggerUrl` keeps its path and gets the advertised base in front, wherever in the JSON it stands.
 * `devtoolsFrontendUrl` is left out: it leads to a page of another origin, which neither Chromium nor the endpoint lets
 * connect, and it would tell that page's server the address.
 *
 * @param port of Chromium's DevTools, as it was asked
 * @param base `ws://host:port/cdp/<capability>`, without a slash at its end
 * @throws SyntaxError where `text` is no JSON
 * @throws ForeignAddress where an address has another form
 */
export function rewriteAddresses(text: string, port: number, base: string): string {
  // With JSON.parse and its reviver a member called `__proto__` stays plain data.
  return JSON.stringify(JSON.parse(text, (key, value) => {
    if (key === "devtoolsFrontendUrl") return undefined;
    return key === "webSocketDebuggerUrl" ? base + devToolsPath(value, port) : value;
  }));
}

/**
 * The path of an address of Chromium's DevTools.
 *
 * @throws ForeignAddress where it is none of this port
 */
export function devToolsPath(address: unknown, port: number): string {
  const [, given, path] = typeof address === "string"
    ? /^ws:\/\/127\.0\.0\.1:([0-9]{1,5})(\/devtools\/(?:browser|page)\/[A-Za-z0-9_-]+)$/.exec(address) ?? []
    : [];
  if (path === undefined || Number(given) !== port) {
    throw new ForeignAddress("Not an address of this DevTools port");
  }
  return path;
}
