/**
 * What an agent reads when its upstream is gone: what happened, what is lost, what to do.
 */
import type { Loss } from "../upstream/generation.ts";

/** @param reached whether upstream had the call, so that it may have had an effect */
export function lossText(tool: string, reached: boolean, loss: Loss): string {
  const next = loss.final === true ? "" : ". The next browser call starts a fresh browser";
  const effect = reached
    ? `"${tool}" was running, so whether it took effect is unknown. Open pages and unsaved state are gone`
    : `"${tool}" was not run`;
  return `### Error\nThe browser is not available: the upstream ${loss.reason}. ${effect}${next}${
    lastOutput(loss)
  }`;
}

export function lossTextForRequest(method: string, loss: Loss): string {
  const next = loss.final === true ? "" : ". The next browser call starts it again";
  return `Cannot answer "${method}": the upstream ${loss.reason}${next}${lastOutput(loss)}`;
}

function lastOutput(loss: Loss): string {
  return loss.lastWords === "" ? "" : `\n\nIts last output:\n${loss.lastWords}`;
}
