/**
 * The address of a proxy as users write it: `http://name:password@proxy.example:3128`, or without scheme. Name and
 * password are taken out here, so that no later place has to look for them in a URL.
 */

import type { Verdict } from "./grammar.ts";

export interface ProxyAddress {
  /** Scheme, host and port; never name or password. */
  readonly server: string;
  /** Percent-decoded. */
  readonly username?: string;
  readonly password?: string;
}

const SCHEMES = ["http", "https", "socks4", "socks5", "socks5h"] as const;
const FORM =
  'must be the address of a proxy such as "http://proxy.example:3128" or "socks5://proxy.example:1080"';

/** @param text no scheme means `http` */
export function parseProxyAddress(text: string): Verdict<ProxyAddress> {
  const [, scheme = "", rest = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text.trim()) ?? [];
  const authority = rest.replace(/\/$/, "");
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const name = (scheme || "http").toLowerCase().replace(/^socks$/, "socks5");
  if (!SCHEMES.some((known) => known === name)) {
    return fail(`must have one of the schemes ${SCHEMES.join(", ")}`);
  }
  // Read as http, because for schemes that it does not know the URL parser takes any host.
  if (host === "" || /[\s/?#\\]/.test(host) || !URL.canParse(`http://${host}`)) {
    return fail(FORM);
  }
  const server = `${name}://${hostOf(host)}`;
  if (at === -1) return { ok: true, value: { server } };
  const [username = "", ...password] = authority.slice(0, at).split(":");
  if (name === "socks4") return fail("must not have a name and password: SOCKS 4 knows none");
  if (username === "") return fail("must have a name before the password");
  return {
    ok: true,
    value: {
      server,
      username: decode(username),
      ...(password.length === 0 ? {} : { password: decode(password.join(":")) }),
    },
  };
}

/** Host in its canonical form, with the port that was written: the URL parser would drop port 80. */
function hostOf(host: string): string {
  const port = /:[0-9]+$/.exec(host)?.[0] ?? "";
  return new URL(`http://${host}`).hostname + port;
}

/** Escapes that are none stay as they are: a password may contain a plain percent sign. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function fail(problem: string): Verdict<ProxyAddress> {
  return { ok: false, problem };
}
