/**
 * The gate of an upstream that drives a browser of ours: opens when the executable is there.
 */
import type { BrowserPlan, BrowserResolver, EnsureProgress } from "../browser/resolver.ts";
import type { BrowserGate, GateProgress } from "./browser_gate.ts";

export interface ResolverGate extends BrowserGate {
  /** What the next child is to be started with. */
  plan(): Promise<BrowserPlan>;
}

export function createResolverGate(resolver: BrowserResolver): ResolverGate {
  const reporters = new Set<(progress: GateProgress) => void>();
  let planned: Promise<BrowserPlan> | undefined;
  let open = false;
  const plan = (): Promise<BrowserPlan> => planned ??= resolver.plan();
  const tellAll = (progress: EnsureProgress): void => {
    for (const report of reporters) report(asProgress(progress));
  };
  return {
    get open() {
      return open;
    },
    plan,
    async pass(report) {
      reporters.add(report);
      try {
        const before = await plan();
        const found = await resolver.ensure(tellAll);
        if (open) return { replanned: false };
        open = true;
        planned = Promise.resolve(found);
        return { replanned: found.engine !== before.engine || found.executablePath !== before.executablePath };
      } finally {
        reporters.delete(report);
      }
    },
  };
}

/** The gate of an upstream that brings its own browser, or none. */
export const OPEN_GATE: BrowserGate = { open: true, pass: () => Promise.resolve({ replanned: false }) };

function asProgress({ message, percent }: EnsureProgress): GateProgress {
  return percent === undefined ? { progress: 0, message } : { progress: percent, total: 100, message };
}
