// Orders that controllers choose by. Caches promise none.

import type { StoredObject } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";

/** By UTF-16 units, which is Go's order of bytes for everything that names and UIDs may hold. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Older first, and by name where that does not tell: a time of the API has whole seconds. */
// Upstream: pkg/controller/controller_utils.go, ReplicaSetsByCreationTimestamp and its like
export function olderFirst(a: StoredObject, b: StoredObject): number {
  return (
    parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}
