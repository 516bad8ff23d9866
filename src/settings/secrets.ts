import { envName, secretFileNames } from "./option.ts";
import { optionRows } from "./option_table.ts";
import { parseProxyAddress } from "./proxy_address.ts";
import type { Settings } from "./settings.ts";

/** Values of all secret settings: what a redactor has to keep out of logs and error texts. */
export function secretValues(settings: Settings): (string | undefined)[] {
  return optionRows()
    .filter(([, option]) => option.secret)
    .flatMap(([key]) => settings[key])
    .filter((value) => typeof value === "string");
}

/** Secrets that stand in options of upstream, in every form that a log could show. */
export function upstreamSecrets(
  { upstreamArgs }: Settings,
  env: Readonly<Record<string, string>>,
): (string | undefined)[] {
  const addresses = upstreamArgs.filter(({ flag }) => flag === "--proxy-server").flatMap(({ values }) =>
    values
  );
  return [
    env["PLAYWRIGHT_MCP_EXTENSION_TOKEN"],
    ...[...addresses, env["PLAYWRIGHT_MCP_PROXY_SERVER"] ?? ""].flatMap(passwordForms),
  ];
}

function passwordForms(address: string): string[] {
  const verdict = parseProxyAddress(address);
  const { password } = verdict.ok ? verdict.value : {};
  return password === undefined ? [] : [password, encodeURIComponent(password)];
}

/** Names of the variables that carry secrets of ours, or name files that do: no child may inherit them. */
export function secretVariables(): string[] {
  return optionRows()
    .filter(([, option]) => option.secret)
    .flatMap(([key, option]) => [...option.env.map(envName), ...secretFileNames(key, option).env]);
}
