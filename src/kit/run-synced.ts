// The life cycle of a controller: wait for the caches, then run its loops until the signal aborts.

import { whenAborted } from "#base/abort.ts";
import { isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import { TaskGroup } from "#base/task-group.ts";

/** A cache, or a handler: synced when it has seen its initial list. */
export interface Syncing {
  synced(signal: AbortSignal): Promise<void>;
}

export type Task = (signal: AbortSignal) => Promise<void>;

export interface SyncedRun {
  /** As the log names the controller. */
  readonly name: string;
  readonly log: Logger;
  readonly waitFor: readonly Syncing[];
  readonly tasks: readonly Task[];
}

/** Resolves after every task has ended, without tasks when the signal aborts. An abort is not a failure. */
export async function runSynced({ name, log, waitFor, tasks }: SyncedRun, signal: AbortSignal): Promise<void> {
  log.info("Starting controller", { name });
  try {
    log.info("Waiting for caches to sync");
    for (const cache of waitFor) await cache.synced(signal);
    log.info("Caches are synced");
    // A controller that has only tasks from its start still runs.
    if (tasks.length === 0) await whenAborted(signal);
    await TaskGroup.all(signal, tasks);
  } catch (error) {
    if (!isAborted(error, signal)) throw error;
  } finally {
    log.info("Shutting down controller", { name });
  }
}
