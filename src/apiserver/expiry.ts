// Objects that vanish by themselves some time after their last write: events. All objects of a
// table live equally long, so the order of writing is the order of expiring and one timer suffices.

import type { Clock, Timer } from "#base/clock.ts";
import type { ServerCore } from "./core.ts";
import { withResourceVersion } from "./object-meta.ts";
import type { StoredVersion, Table } from "./storage/storage.ts";

interface Pending {
  readonly table: Table;
  readonly version: StoredVersion;
  readonly atMs: number;
}

export class Expiry {
  readonly #clock: Clock;
  /** One queue for each length of life. */
  readonly #queues = new Map<number, { pending: Pending[]; start: number; timer: Timer | undefined }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Called for each write of an object with a time to live. */
  schedule(table: Table, version: StoredVersion, ttlSeconds: number): void {
    const queue = this.#queues.get(ttlSeconds) ?? { pending: [], start: 0, timer: undefined };
    this.#queues.set(ttlSeconds, queue);
    queue.pending.push({ table, version, atMs: this.#clock.monotonicMs() + ttlSeconds * 1000 });
    if (queue.timer === undefined) this.#arm(ttlSeconds);
  }

  close(): void {
    for (const queue of this.#queues.values()) queue.timer?.[Symbol.dispose]();
    this.#queues.clear();
  }

  #arm(ttlSeconds: number): void {
    const queue = this.#queues.get(ttlSeconds);
    const next = queue?.pending[queue.start];
    if (queue === undefined) return;
    queue.timer = next && this.#clock.after(next.atMs - this.#clock.monotonicMs(), () => this.#expire(ttlSeconds));
  }

  #expire(ttlSeconds: number): void {
    const queue = this.#queues.get(ttlSeconds);
    if (queue === undefined) return;
    const now = this.#clock.monotonicMs();
    for (
      let next = queue.pending[queue.start];
      next !== undefined && next.atMs <= now;
      next = queue.pending[queue.start]
    ) {
      queue.start++;
      // Written again meanwhile: that version has its own place in the queue.
      next.table.delete(next.version, (revision) => withResourceVersion(next.version.object, revision));
    }
    if (queue.start > 1024 && queue.start > queue.pending.length >> 1) {
      queue.pending = queue.pending.slice(queue.start);
      queue.start = 0;
    }
    this.#arm(ttlSeconds);
  }
}

/** What was stored before the server started lives on for a whole life: when it was written is not known. */
export function resumeExpiry(core: ServerCore): void {
  for (const row of core.registry.rows()) {
    if (row.ttlSeconds === undefined) continue;
    const table = core.tableOf(row);
    for (const version of [...table.scan({ prefix: "" })]) core.expiry.schedule(table, version, row.ttlSeconds);
  }
}
