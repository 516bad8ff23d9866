/**
 * Where a setting came from, for `config` and for error texts.
 */

export type Origin =
  | { readonly kind: "flag"; readonly name: string }
  | { readonly kind: "env"; readonly name: string }
  | { readonly kind: "file"; readonly path: string; readonly key: string }
  | { readonly kind: "session"; readonly key: string }
  | { readonly kind: "default" };

/** Short form: `flag --x`, `env X`, `file F`, `default`. */
export function describeOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "flag":
      return `flag ${origin.name}`;
    case "env":
      return `env ${origin.name}`;
    case "file":
      return `file ${origin.path}`;
    case "session":
      return `session option ${origin.key}`;
    case "default":
      return "default";
  }
}

/** The name a user knows the source by, for sentences: `--x`, `X`, `"key" in F`. */
export function nameOrigin(origin: Origin): string {
  switch (origin.kind) {
    case "flag":
    case "env":
      return origin.name;
    case "file":
      return `"${origin.key}" in ${origin.path}`;
    case "session":
      return origin.key;
    case "default":
      return "the default";
  }
}
