// Objects that expire some time after their last write: events. All objects of a table have the same lifetime, so they
// expire in the order of their writes and one timer is enough. The queue holds each existing object once.

import { withResourceVersion } from "#api/object-meta.ts";
import type { Clock, Timer } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ServerCore } from "./core.ts";
import { type StorageKey, StorageWriteFailed, type StoredVersion, type Table } from "./storage/storage.ts";

/** Delay after the store refused a write. */
const RETRY_MS = 30_000;

interface Pending {
  readonly version: StoredVersion;
  readonly atMs: number;
}

interface Queue {
  /** In the order of expiry. */
  readonly pending: Map<StorageKey, Pending>;
  readonly subscription: Disposable;
  timer: Timer | undefined;
}

export class Expiry {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #queues = new Map<Table, Queue>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** How many objects are queued. */
  get size(): number {
    let size = 0;
    for (const { pending } of this.#queues.values()) size += pending.size;
    return size;
  }

  /** Call for each write of an object with a lifetime. */
  schedule(table: Table, version: StoredVersion, ttlSeconds: number): void {
    const queue = this.#queues.get(table) ?? this.#open(table);
    // Moves the object to the end of the queue.
    queue.pending.delete(version.key);
    queue.pending.set(version.key, { version, atMs: this.#clock.monotonicMs() + ttlSeconds * 1000 });
    if (queue.timer === undefined) this.#arm(table, queue);
  }

  close(): void {
    for (const { timer, subscription } of this.#queues.values()) {
      timer?.[Symbol.dispose]();
      subscription[Symbol.dispose]();
    }
    this.#queues.clear();
  }

  #open(table: Table): Queue {
    const pending = new Map<StorageKey, Pending>();
    const subscription = table.subscribe(({ key, isDeletion }) => {
      if (isDeletion) pending.delete(key);
    });
    const queue = { pending, subscription, timer: undefined };
    this.#queues.set(table, queue);
    return queue;
  }

  #arm(table: Table, queue: Queue): void {
    const [next] = queue.pending.values();
    queue.timer = next && this.#clock.after(next.atMs - this.#clock.monotonicMs(), () => this.#expire(table, queue));
  }

  #expire(table: Table, queue: Queue): void {
    const now = this.#clock.monotonicMs();
    try {
      for (const [key, { version, atMs }] of queue.pending) {
        if (atMs > now) break;
        table.delete(version, (revision) => withResourceVersion(version.object, revision));
        queue.pending.delete(key);
      }
    } catch (error) {
      if (!(error instanceof StorageWriteFailed)) throw error;
      this.#log.error(error, "Expired objects stay for now: the store refuses to delete them");
      queue.timer = this.#clock.after(RETRY_MS, () => this.#expire(table, queue));
      return;
    }
    this.#arm(table, queue);
  }
}

/** Objects stored before the server started get a full lifetime, because their write time is unknown. */
export function resumeExpiry(core: ServerCore): void {
  for (const row of core.registry.rows()) {
    if (row.ttlSeconds === undefined) continue;
    const table = core.tableOf(row);
    for (const version of [...table.scan({ prefix: "" })]) core.expiry.schedule(table, version, row.ttlSeconds);
  }
}
