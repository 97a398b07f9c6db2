// Transforms of objects before they enter a cache.

import type { StoredObject } from "#api/resource.ts";

/** Removes managedFields: no controller reads them, and they are a third of a typical object. */
export function stripManagedFields<T extends StoredObject>(object: T): T {
  const { metadata } = object;
  if (metadata.managedFields === undefined) return object;
  if (Object.isFrozen(metadata)) return { ...object, metadata: { ...metadata, managedFields: undefined } };
  // The object was just parsed, so it has no other reference. Assigning keeps the object's shape; delete would not.
  (metadata as { managedFields?: unknown }).managedFields = undefined;
  return object;
}

/** For tests: changing a cached object throws at once. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
