// The state that a controller keeps for each owner between syncs. It is cleared as a whole.

import type { ObjectKey } from "#api/object.ts";
import type { ConsistencyStore } from "./consistency.ts";
import type { DoubtfulCreates } from "./doubtful-creates.ts";
import type { TrackingExpectations } from "./expectations.ts";

export interface OwnerMemory {
  readonly expectations: Pick<TrackingExpectations, "forget">;
  readonly consistency: Pick<ConsistencyStore, "clear">;
  readonly doubts: Pick<DoubtfulCreates, "forget">;
}

/**
 * Clears the state of a deleted owner; with a UID, only of that incarnation. A new owner with the same name starts
 * without state.
 */
export function forgetOwner(key: ObjectKey, memory: OwnerMemory, uid?: string): void {
  memory.consistency.clear(key, uid);
  memory.doubts.forget(key);
  memory.expectations.forget(key);
}
