/**
 * What takes long by its nature, side by side, so that the whole takes as long as the longest case. The cases share
 * nothing but the machine; those that load it come one by one, after those that mostly wait.
 */
import { LARGE_MESSAGES } from "./long_cases/large_messages.ts";
import { SLOW_ENDS } from "./long_cases/slow_ends.ts";
import { SLOW_EXCHANGES } from "./long_cases/slow_exchanges.ts";

type Cases = Readonly<Record<string, () => Promise<void>>>;

// Steps that run at the same time would take each other's operations for leaks.
const UNCHECKED = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

Deno.test("patience", UNCHECKED, async (t) => {
  const sideBySide = (cases: Cases): Promise<boolean[]> =>
    Promise.all(Object.entries(cases).map(([name, fn]) => t.step({ name, fn, ...UNCHECKED })));
  const oneByOne = async (cases: Cases): Promise<void> => {
    for (const [name, fn] of Object.entries(cases)) await t.step({ name, fn, ...UNCHECKED });
  };
  await Promise.all([
    sideBySide(SLOW_EXCHANGES),
    sideBySide(SLOW_ENDS).then(() => oneByOne(LARGE_MESSAGES)),
  ]);
});
