/**
 * The gate of an upstream that drives a browser of ours: opens when the executable is there.
 */
import type { BrowserPlan, BrowserResolver, EnsureProgress } from "../browser/resolver.ts";
import type { BrowserGate, GateProgress } from "./browser_gate.ts";

/** Percent that a message without a percentage counts for. */
const SMALL_STEP = 0.01;

export interface ResolverGate extends BrowserGate {
  /** What the next child is to be started with. */
  plan(): Promise<BrowserPlan>;
}

export function createResolverGate(resolver: BrowserResolver): ResolverGate {
  const reporters = new Set<(progress: GateProgress) => void>();
  let planned: Promise<BrowserPlan> | undefined;
  let open = false;
  const plan = (): Promise<BrowserPlan> => planned ??= resolver.plan();
  let told = 0;
  const tellAll = ({ message, percent }: EnsureProgress): void => {
    // Each value must be greater than the one before (MCP 2025-11-25, "Progress"), with or without a percentage.
    told = Math.max(percent ?? 0, told + SMALL_STEP);
    for (const report of reporters) report({ progress: told, total: 100, message });
  };
  return {
    get open() {
      return open;
    },
    plan,
    async pass(report): Promise<{ replanned: boolean }> {
      reporters.add(report);
      try {
        const before = await plan();
        const found = await resolver.ensure(tellAll);
        if (open) return { replanned: false };
        open = true;
        planned = Promise.resolve(found);
        return {
          replanned: found.engine !== before.engine || found.executablePath !== before.executablePath ||
            JSON.stringify(found.built) !== JSON.stringify(before.built),
        };
      } finally {
        reporters.delete(report);
      }
    },
  };
}

/** The gate of an upstream that brings its own browser, or none. */
export const OPEN_GATE: BrowserGate = { open: true, pass: () => Promise.resolve({ replanned: false }) };
