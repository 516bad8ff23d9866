/**
 * Runs a resolver in a process of its own, because the package below reads the environment once and for all. Takes
 * settings and steps as JSON arguments; writes one line of JSON for each step to the file named last. Standard
 * output stays free, so that a test can see that nothing else writes there.
 */

import { AppError } from "../../src/errors.ts";
import { createBrowserResolver, type EnsureProgress } from "../../src/browser/resolver.ts";
import { installBrowser } from "../../src/browser/install.ts";
import { createLogger } from "../../src/telemetry/log.ts";
import { browserSettings } from "./test_settings.ts";

const [changes = "{}", steps = "[]", outcomePath = ""] = Deno.args;
const settings = browserSettings(JSON.parse(changes));
const log = createLogger({
  level: "trace",
  format: "text",
  write: (line) => Deno.stderr.writeSync(new TextEncoder().encode(line + "\n")),
});
const resolver = createBrowserResolver(settings, Deno.env.toObject(), log, {
  readUserConfig: () => Promise.resolve({}),
  findChrome: () => Promise.resolve("/installed/chrome"),
});

async function outcomeOf(step: string): Promise<Record<string, unknown>> {
  const progress: EnsureProgress[] = [];
  const onProgress = (update: EnsureProgress): void => {
    progress.push(update);
  };
  try {
    switch (step) {
      case "plan":
        return { value: await resolver.plan() };
      case "ensure":
        return { value: await resolver.ensure(onProgress), progress };
      case "info":
        return { value: await resolver.info() };
      case "install":
        return { value: await installBrowser(settings, log, onProgress), progress };
      default:
        throw new Error(`no such step: ${step}`);
    }
  } catch (error) {
    if (!(error instanceof AppError)) return { error: String(error) };
    return { error: error.message, code: error.code, remedy: error.remedy, progress };
  }
}

/** Steps in one inner list run at the same time. */
for (const group of JSON.parse(steps) as string[][]) {
  const outcomes = await Promise.all(group.map(outcomeOf));
  const text = outcomes.map((outcome) => JSON.stringify(outcome) + "\n").join("");
  await Deno.writeTextFile(outcomePath, text, { append: true });
}

// The package leaves timers of up to two seconds behind a failed download.
Deno.exit(0);
