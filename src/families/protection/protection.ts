// Protection finalizers: an object in use stays, although it is being deleted.
// Upstream: pkg/volume/util/protection (IsDeletionCandidate, NeedToAddFinalizer) and the three protection controllers.

import type { StoredObject } from "#api/resource.ts";
import type { ResourceClient } from "#client/client.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";

/** The finalizer must be added, or may have to be removed. */
export function concernsProtection(object: StoredObject, finalizer: string): boolean {
  return isDeleting(object) === hasFinalizer(object, finalizer);
}

/** The object is being deleted and has this finalizer. */
export function isDeletionCandidate(object: StoredObject, finalizer: string): boolean {
  return isDeleting(object) && hasFinalizer(object, finalizer);
}

export interface Protection<T extends StoredObject> {
  readonly finalizer: string;
  readonly api: ResourceClient<T>;
  isUsed(object: T, signal: AbortSignal): Promise<boolean> | boolean;
}

/**
 * Adds the finalizer to an object that is not being deleted, and removes it from a deleted object that is not in use.
 */
export async function syncProtection<T extends StoredObject>(
  object: T,
  { finalizer, api, isUsed }: Protection<T>,
  signal: AbortSignal,
): Promise<SyncResult> {
  if (!concernsProtection(object, finalizer)) return done;
  const { finalizers = [] } = object.metadata;
  if (!isDeleting(object)) await api.update({ object: withFinalizers(object, [...finalizers, finalizer]) }, signal);
  else if (!(await isUsed(object, signal))) {
    const others = finalizers.filter((other) => other !== finalizer);
    await api.update({ object: withFinalizers(object, others) }, signal);
  }
  return done;
}

function isDeleting({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function hasFinalizer({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

function withFinalizers<T extends StoredObject>(object: T, finalizers: readonly string[]): T {
  const { finalizers: _, ...rest } = object.metadata;
  return { ...object, metadata: { ...rest, ...(finalizers.length === 0 ? {} : { finalizers }) } };
}
