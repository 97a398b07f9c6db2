// For suites that need the real programs: without the programs a suite is skipped, and the runner (tools/run-tests.ts)
// prints how to get them. Also the polling functions of such suites.

import { afterAll, beforeAll, describe } from "vitest";
import { missingPrograms } from "#tools/control-plane-binaries.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import type { Program } from "./processes.ts";

const HOOK_MS = 120_000;

export const describeReal: typeof describe | typeof describe.skip =
  missingPrograms().length === 0 ? describe : describe.skip;

/**
 * Creates a value before the first test of the calling suite and ends it after the last; call the result inside tests.
 */
export function useForSuite<T>(make: () => T | Promise<T>, end: (made: T) => Promise<void>): () => T {
  let made: { readonly value: T } | undefined;
  beforeAll(async () => {
    made = { value: await make() };
  }, HOOK_MS);
  afterAll(async () => {
    if (made !== undefined) await end(made.value);
  }, HOOK_MS);
  return () => {
    if (made === undefined) throw new Error("it is there only while tests run");
    return made.value;
  };
}

/** A separate control plane for the suite. */
export function useControlPlane(options?: ControlPlaneOptions): () => ControlPlane {
  return useForSuite(
    () => startControlPlane(options),
    (plane) => plane.stop(),
  );
}

/** Polls for an effect of another process; the limit only ends a hopeless wait. */
export async function eventually<T>(probe: () => T | undefined | Promise<T | undefined>, limitMs = 60_000): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`nothing after ${limitMs} ms: ${probe}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Resolves when a program has logged this text `count` times. */
export function logged(program: Program, text: string, count = 1, limitMs?: number): Promise<true> {
  return eventually(() => (program.log().split(text).length > count ? true : undefined), limitMs);
}
