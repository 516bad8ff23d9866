/** What takes long by its nature over HTTP, side by side, so that the whole takes as long as the longest case. */
import { abandonedSessions } from "./long_cases/abandoned_sessions.ts";
import { keptAlive } from "./long_cases/kept_alive.ts";
import { keptPage } from "./long_cases/kept_page.ts";

// Steps that run at the same time would take each other's operations for leaks.
const UNCHECKED = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

Deno.test("patience over HTTP", UNCHECKED, async (t) => {
  const measured = Promise.withResolvers<void>();
  const step = (name: string, fn: () => Promise<void>): Promise<boolean> =>
    t.step({ name, fn, ...UNCHECKED });
  const first = step(
    "http-3 headers come at once, bytes keep coming, and a long call is not cut",
    async () => {
      try {
        await keptAlive(measured.resolve);
      } finally {
        measured.resolve();
      }
    },
  );
  await measured.promise;
  await Promise.all([
    first,
    step("http-2a a client that never opens a GET stream finds its page after a minute", keptPage),
    step("200 sessions opened and abandoned leave nothing", abandonedSessions),
  ]);
});
