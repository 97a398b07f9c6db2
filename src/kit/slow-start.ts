// Slow start: 1, 2, 4, … parallel calls, each batch only if the one before had no error. A controller whose creates are
// all refused (quota, bad template) then does not flood the API server.
// Upstream: pkg/controller/replicaset/replica_set.go, slowStartBatch.

export interface SlowStartResult {
  /** Calls that succeeded. */
  readonly succeeded: number;
  /** The error with the lowest index in the failed batch: the same one on every replay. */
  readonly error: unknown;
}

/** Runs call(0) … call(count-1) in growing batches and stops after the first batch with an error. */
export async function slowStart(
  count: number,
  call: (index: number) => Promise<void>,
  options: { readonly firstBatch?: number; readonly largestBatch?: number } = {},
): Promise<SlowStartResult> {
  const largest = options.largestBatch ?? count;
  let succeeded = 0;
  let started = 0;
  for (let batch = options.firstBatch ?? 1; started < count; batch *= 2) {
    const size = Math.min(batch, largest, count - started);
    const calls: Promise<void>[] = [];
    for (let i = 0; i < size; i++) calls.push(call(started + i));
    const results = await Promise.allSettled(calls);
    started += size;
    const failed = results.filter((result) => result.status === "rejected");
    succeeded += size - failed.length;
    const first = failed[0];
    if (first !== undefined) return { succeeded, error: first.reason };
  }
  return { succeeded, error: undefined };
}

/** Runs all calls at once, waits for all, and reports the error with the lowest index. */
export async function allAtOnce<T>(items: readonly T[], call: (item: T) => Promise<void>): Promise<unknown> {
  const results = await Promise.allSettled(items.map(call));
  return results.find((result) => result.status === "rejected")?.reason;
}
