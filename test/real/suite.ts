// How a suite says that it needs the real programs: where they are missing it is skipped,
// and the runner (tools/run-tests.ts) says so and how to get them. And what such suites wait for.

import { afterAll, beforeAll, describe } from "vitest";
import { missingPrograms } from "#tools/control-plane-binaries.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "./control-plane.ts";
import type { Program } from "./processes.ts";

const HOOK_MS = 120_000;

export const describeReal: typeof describe | typeof describe.skip =
  missingPrograms().length === 0 ? describe : describe.skip;

/** Something that the suite that calls this has from its first test to its last; call the result in tests. */
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

/** A control plane of its own for the suite. */
export function useControlPlane(options?: ControlPlaneOptions): () => ControlPlane {
  return useForSuite(
    () => startControlPlane(options),
    (plane) => plane.stop(),
  );
}

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

/** Resolves when a program has logged this text, so many times. */
export function logged(program: Program, text: string, count = 1, limitMs?: number): Promise<true> {
  return eventually(() => (program.log().split(text).length > count ? true : undefined), limitMs);
}
