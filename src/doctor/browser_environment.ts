import { secretVariables } from "../settings/secrets.ts";
import { childEnvironment } from "../upstream/environment.ts";

/** The environment that the browser would get from the upstream process: it too decides which libraries are found. */
export function browserEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  return childEnvironment(env, {
    secretNames: secretVariables(),
    managedCdp: false,
    extension: false,
    generation: crypto.randomUUID(),
    forced: {},
  });
}
