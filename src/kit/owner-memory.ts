// What a controller remembers of each owner between syncs. All of it is forgotten together.

import type { ObjectKey } from "#api/object.ts";
import type { ConsistencyStore } from "./consistency.ts";
import type { DoubtfulCreates } from "./doubtful-creates.ts";
import type { TrackingExpectations } from "./expectations.ts";

export interface OwnerMemory {
  readonly expectations: Pick<TrackingExpectations, "forget">;
  readonly consistency: Pick<ConsistencyStore, "clear">;
  readonly doubts: Pick<DoubtfulCreates, "forget">;
}

/** The owner is gone; with a UID, that life of it. A successor of the same name starts with a clean slate. */
export function forgetOwner(key: ObjectKey, memory: OwnerMemory, uid?: string): void {
  memory.consistency.clear(key, uid);
  memory.doubts.forget(key);
  memory.expectations.forget(key);
}
