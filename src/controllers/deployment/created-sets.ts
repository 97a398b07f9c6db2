// The ReplicaSets that syncs have created, until the cache shows them. Without this record, the event of the
// Deployment's own status write, which may come first, would make the next sync create the same ReplicaSet again.

import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Clock } from "#base/clock.ts";
import type { ReplicaSet } from "./model.ts";

/** After this time the sync continues: the ReplicaSet may already be deleted, or the watch may be broken. */
const WAIT_MS = 1000;

export class CreatedSets {
  readonly #clock: Clock;
  readonly #sets: { get(key: ObjectKey): ReplicaSet | undefined };
  readonly #created = new Map<ObjectKey, { readonly set: ReplicaSet; readonly endMs: number }>();

  constructor(clock: Clock, sets: { get(key: ObjectKey): ReplicaSet | undefined }) {
    this.#clock = clock;
    this.#sets = sets;
  }

  add(deployment: ObjectKey, set: ReplicaSet): void {
    this.#created.set(deployment, { set, endMs: this.#clock.monotonicMs() + WAIT_MS });
  }

  /** How long to wait for the cache. The ReplicaSet's event also ends the wait. */
  waitMs(deployment: ObjectKey): number {
    const created = this.#created.get(deployment);
    if (created === undefined) return 0;
    const isSeen = this.#sets.get(objectKey(created.set))?.metadata.uid === created.set.metadata.uid;
    const leftMs = isSeen ? 0 : created.endMs - this.#clock.monotonicMs();
    if (leftMs <= 0) this.#created.delete(deployment);
    return Math.max(0, leftMs);
  }

  forget(deployment: ObjectKey): void {
    this.#created.delete(deployment);
  }
}
