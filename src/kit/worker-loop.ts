// The worker loop of all controllers: takes keys and syncs them, several at a time but never the same key twice at
// once. A failed sync is retried with back-off; a sync that must wait returns for how long. Errors of syncs are logged
// only here.

import type { ObjectKey } from "#api/object.ts";
import { childScope } from "#base/abort.ts";
import { AssertionFailed } from "#base/assert.ts";
import { errorMessage, isAborted, TerminalError } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { TaskGroup } from "#base/task-group.ts";
import type { KeyQueue } from "./key-queue.ts";
import type { SyncOutcome, SyncRecord } from "./trace.ts";

export type SyncResult =
  | { readonly kind: "done" }
  | { readonly kind: "requeue"; readonly afterMs: number; readonly reason: string; readonly keepsFailures: boolean }
  | { readonly kind: "backOff"; readonly reason: string };

/** No more work until the next event. */
export const done: SyncResult = { kind: "done" };

/**
 * Queue the key again after this time, because only time has to pass. keepsFailures: earlier failures of the key still
 * count.
 */
export function requeueAfter(
  afterMs: number,
  reason: string,
  { keepsFailures = false }: { readonly keepsFailures?: boolean } = {},
): SyncResult {
  return { kind: "requeue", afterMs, reason, keepsFailures };
}

/** Queue the key again through the rate limiter, as after a failure, although nothing failed. */
export function backOff(reason: string): SyncResult {
  return { kind: "backOff", reason };
}

/** Syncs one key. An error is logged and retried with back-off. */
export type Sync<K = ObjectKey> = (key: K, signal: AbortSignal) => Promise<SyncResult>;

export interface WorkerOptions<K extends {} = ObjectKey> {
  readonly queue: KeyQueue<K>;
  readonly log: Logger;
  readonly workers: number;
  readonly sync: Sync<K>;
  /** Sees each error, for counting; the loop itself logs and retries. */
  readonly onError?: (error: unknown, key: K) => void;
  /** The number of retries after which a key is dropped until its next event. Absent: no limit. */
  readonly retriesMax?: number;
  /**
   * The verbosity at which a retry is logged, if upstream does not log it as an error. A dropped key is always logged
   * as an error.
   */
  readonly retryVerbosity?: number;
}

/** Runs until the signal aborts, then aborts the syncs in progress and waits for them. */
export async function runWorkers<K extends {}>(options: WorkerOptions<K>, signal: AbortSignal): Promise<void> {
  try {
    await TaskGroup.run(signal, (group) => {
      for (let i = 0; i < options.workers; i++) group.spawn((signal) => work(options, signal));
    });
  } catch (error) {
    if (!isAborted(error, signal)) throw error;
  } finally {
    options.queue.shutDown();
  }
}

async function work<K extends {}>(options: WorkerOptions<K>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const key = await options.queue.take(signal);
    if (key === undefined) return;
    try {
      if (options.queue.trace === undefined) await syncOne(key, options, signal);
      else await syncTraced(key, options, signal);
    } finally {
      options.queue.done(key);
    }
  }
}

async function syncOne<K extends {}>(key: K, options: WorkerOptions<K>, signal: AbortSignal): Promise<SyncOutcome> {
  const { queue } = options;
  try {
    const result = await options.sync(key, signal);
    if (result.kind === "backOff") {
      queue.retry(key, result.reason);
      return { kind: "backedOff", reason: result.reason };
    }
    if (result.kind === "done" || !result.keepsFailures) queue.forget(key);
    if (result.kind === "done") return { kind: "done" };
    queue.addAfter(key, result.afterMs, result.reason);
    return { kind: "requeued", afterMs: result.afterMs };
  } catch (error) {
    if (error instanceof AssertionFailed) throw error; // a broken invariant ends the process
    const outcome: SyncOutcome = {
      kind: "failed",
      error: errorMessage(error),
      isTerminal: error instanceof TerminalError,
    };
    // Checks the signal, not the error's kind: an abort from inside the sync is a failure like any other.
    if (!signal.aborted) handleFailure(key, error, options);
    return outcome;
  }
}

function handleFailure<K extends {}>(key: K, error: unknown, options: WorkerOptions<K>): void {
  const { queue, log } = options;
  options.onError?.(error, key);
  const values = { key: queue.textOf(key), ...stackOfBug(error) };
  const isDropped =
    error instanceof TerminalError || (options.retriesMax !== undefined && queue.retries(key) >= options.retriesMax);
  if (isDropped) {
    log.error(error, "sync failed, dropping the key until its next event", values);
    queue.forget(key);
    return;
  }
  const { retryVerbosity } = options;
  if (retryVerbosity === undefined || "stack" in values) log.error(error, "sync failed, will retry", values);
  else log.v(retryVerbosity).info("sync failed, will retry", { err: errorMessage(error), ...values });
  queue.retry(key, errorMessage(error));
}

/** Errors of the JavaScript engine are bugs in our code, so the log needs their stack. */
function stackOfBug(error: unknown): { readonly stack?: string } {
  const isBug = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return isBug && error.stack !== undefined ? { stack: error.stack } : {};
}

/** Like syncOne, with a separate signal, by which the trace finds the requests of this sync. */
async function syncTraced<K extends {}>(key: K, options: WorkerOptions<K>, signal: AbortSignal): Promise<void> {
  const { queue } = options;
  const record: SyncRecord = {
    controller: queue.controller,
    key: queue.textOf(key),
    causes: queue.takeCauses(key),
    startedMs: queue.nowMs(),
    writes: [],
  };
  using scope = childScope(signal);
  queue.trace?.started(record, scope.signal);
  const outcome = await syncOne(key, options, scope.signal);
  queue.trace?.finished(record, outcome, queue.nowMs());
}
