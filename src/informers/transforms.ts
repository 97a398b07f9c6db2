// What happens to an object on its way into a cache.

import type { StoredObject } from "#api/resource.ts";

/** Leaves managedFields out: no controller reads them, and they are a third of a typical object. */
export function stripManagedFields<T extends StoredObject>(object: T): T {
  const { metadata } = object;
  if (metadata.managedFields === undefined) return object;
  if (Object.isFrozen(metadata)) return { ...object, metadata: { ...metadata, managedFields: undefined } };
  // Freshly parsed, so there is no other reference to it. Assigning keeps the object's shape; delete would not.
  (metadata as { managedFields?: unknown }).managedFields = undefined;
  return object;
}

/** For tests: a change of a cached object throws at once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
