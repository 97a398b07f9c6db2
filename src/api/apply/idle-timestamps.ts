// A write that changes only the times of managedFields counts as no change.
// Upstream: k8s.io/apiserver handlers/fieldmanager/equality.go, IgnoreManagedFieldsTimestampsTransformer

import type { ManagedFieldsEntry } from "#api/meta.ts";
import { deepEqual, isObject, type JsonObject } from "#api/patch/json-value.ts";

/** The object with the stored entries, if it differs from the stored one only by their times. */
export function withoutIdleTimestamps(live: JsonObject, object: JsonObject): JsonObject {
  const [before, after] = [entriesOf(live), entriesOf(object)];
  if (before === undefined || after === undefined || before === after || before.length !== after.length) return object;
  if (!after.every((entry, i) => deepEqual(timeless(entry), timeless(before[i] as ManagedFieldsEntry)))) return object;
  const settled = { ...object, metadata: { ...(object.metadata as JsonObject), managedFields: before } };
  return deepEqual(settled, live) ? settled : object;
}

function entriesOf(object: JsonObject): readonly ManagedFieldsEntry[] | undefined {
  const entries = isObject(object.metadata) ? object.metadata.managedFields : undefined;
  return Array.isArray(entries) ? entries : undefined;
}

function timeless({ time: _, ...entry }: ManagedFieldsEntry): Omit<ManagedFieldsEntry, "time"> {
  return entry;
}
