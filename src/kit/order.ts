// Sort orders of controllers. Caches return objects in no particular order.

import type { StoredObject } from "#api/resource.ts";
import { parseTime } from "#api/time.ts";

/** Compares UTF-16 units, which equals Go's byte order for all characters allowed in names and UIDs. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Older first, then by name: API timestamps have whole seconds and may be equal. */
// Upstream: pkg/controller/controller_utils.go, ReplicaSetsByCreationTimestamp and its like
export function olderFirst(a: StoredObject, b: StoredObject): number {
  return (
    parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp) ||
    compareText(a.metadata.name, b.metadata.name)
  );
}
