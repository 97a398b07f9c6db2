// The recorded outcome of a call: its result, or the message of its ValueError.

import { ValueError } from "./errors.ts";

export function outcome<T>(call: () => T): T | { error: string } {
  try {
    return call();
  } catch (error) {
    if (error instanceof ValueError) return { error: error.message };
    throw error;
  }
}

/** The rows with a difference from upstream, with both results: expected to be empty. */
export function differences<R extends readonly unknown[]>(
  rows: readonly R[],
  expected: (row: R) => unknown,
  ours: (row: R) => unknown,
): unknown[] {
  return rows
    .map((row) => ({ row: text(row[0]), expected: text(expected(row)), ours: text(ours(row)) }))
    .filter((result) => result.expected !== result.ours)
    .slice(0, 10);
}

/** JSON with sorted keys. */
function text(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort())
      : inner,
  );
}
