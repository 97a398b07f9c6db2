// How a suite says that it needs the real programs: where they are missing it is skipped,
// and the runner (tools/run-tests.ts) says so and how to get them.

import { describe } from "vitest";
import { missingPrograms } from "#tools/control-plane-binaries.ts";

export const describeReal: typeof describe | typeof describe.skip =
  missingPrograms().length === 0 ? describe : describe.skip;

/** Polls for something another process does; the limit only ends a hopeless wait. */
export async function eventually<T>(probe: () => T | undefined | Promise<T | undefined>, limitMs = 60_000): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`nothing after ${limitMs} ms: ${probe}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
