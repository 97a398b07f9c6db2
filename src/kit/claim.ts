// Claims: an owner keeps the objects that it controls and that match its selector, releases those that no longer match,
// and adopts matching orphans. Before the first adoption of a sync, a live read checks that the owner still exists,
// because a cached owner may already be deleted.
// Upstream: pkg/controller/controller_ref_manager.go.

import { getControllerOf, newControllerRef } from "#api/owner-refs.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { isInvalid, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { aggregate } from "./aggregate-error.ts";

export interface ClaimOptions<T extends StoredObject, O extends StoredObject> {
  readonly owner: NoInfer<O>;
  readonly ownerResource: Resource<O>;
  /** The resource of the objects. */
  readonly resource: Resource<T>;
  readonly matches: (object: T) => boolean;
  /** Reads the owner from the API server. */
  readonly readOwnerLive: () => Promise<NoInfer<O>>;
  /** Sends a strategic merge patch. */
  readonly patch: (object: T, patch: object) => Promise<unknown>;
  /** Finalizers that adoption adds and release removes. */
  readonly finalizers?: readonly string[];
}

/** The objects that belong to the owner after the claim. Tries all of them, then throws all errors together. */
export async function claim<T extends StoredObject, O extends StoredObject>(
  objects: readonly T[],
  options: ClaimOptions<T, O>,
): Promise<T[]> {
  const canAdopt = once(() => requireLivingOwner(options));
  const claimed: T[] = [];
  const errors: unknown[] = [];
  for (const object of objects) {
    const verdict = judge(object, options);
    // This is the case of nearly all objects in every sync, so nothing is awaited for it.
    if (verdict === "keep") claimed.push(object);
    if (verdict === "keep" || verdict === "leave") continue;
    try {
      if (verdict === "release") await release(object, options);
      else if (await adopt(object, options, canAdopt)) claimed.push(object);
    } catch (error) {
      errors.push(error);
    }
  }
  const error = aggregate(errors);
  if (error !== undefined) throw error;
  return claimed;
}

/** What to do with an object. An owner that is being deleted only keeps the objects it has. */
export function judge<T extends StoredObject, O extends StoredObject>(
  object: T,
  { owner, matches }: Pick<ClaimOptions<T, O>, "owner" | "matches">,
): "keep" | "leave" | "release" | "adopt" {
  const ownerIsDeleting = owner.metadata.deletionTimestamp !== undefined;
  const controller = getControllerOf(object);
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return "leave";
    if (matches(object)) return "keep";
    return ownerIsDeleting ? "leave" : "release";
  }
  if (ownerIsDeleting || !matches(object)) return "leave";
  if (object.metadata.deletionTimestamp !== undefined) return "leave";
  if (owner.metadata.namespace && owner.metadata.namespace !== object.metadata.namespace) return "leave";
  return "adopt";
}

async function adopt<T extends StoredObject, O extends StoredObject>(
  object: T,
  options: ClaimOptions<T, O>,
  canAdopt: () => Promise<void>,
): Promise<boolean> {
  try {
    await canAdopt();
  } catch (error) {
    const { namespace, name, uid } = object.metadata;
    throw new Error(`can't adopt ${options.resource.kind} ${namespace}/${name} (${uid}): ${errorMessage(error)}`, {
      cause: error,
    });
  }
  try {
    await options.patch(object, {
      metadata: {
        uid: object.metadata.uid,
        ownerReferences: [newControllerRef(options.owner, options.ownerResource)],
        ...(options.finalizers ? { finalizers: options.finalizers } : {}),
      },
    });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** NotFound: the object is gone. Invalid: it was recreated or no longer has this owner. Both are fine. */
async function release<T extends StoredObject, O extends StoredObject>(
  object: T,
  options: ClaimOptions<T, O>,
): Promise<void> {
  try {
    await options.patch(object, {
      metadata: {
        uid: object.metadata.uid,
        ownerReferences: [{ $patch: "delete", uid: options.owner.metadata.uid }],
        ...(options.finalizers ? { "$deleteFromPrimitiveList/finalizers": options.finalizers } : {}),
      },
    });
  } catch (error) {
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}

/** Throws unless the API server still has the owner, and it is not being deleted. */
export async function requireLivingOwner<O extends StoredObject>(
  options: Pick<ClaimOptions<never, O>, "owner" | "ownerResource" | "readOwnerLive">,
): Promise<void> {
  const { namespace, name, uid } = options.owner.metadata;
  const kind = options.ownerResource.kind;
  let fresh: O;
  try {
    fresh = await options.readOwnerLive();
    if (fresh.metadata.uid !== uid) {
      throw new Error(`original ${kind} ${namespace}/${name} is gone: got uid ${fresh.metadata.uid}, wanted ${uid}`);
    }
  } catch (error) {
    throw new Error(`can't recheck DeletionTimestamp: ${errorMessage(error)}`, { cause: error });
  }
  const deletedAt = fresh.metadata.deletionTimestamp;
  if (deletedAt !== undefined) throw new Error(`${namespace}/${name} has just been deleted at ${goTime(deletedAt)}`);
}

/** How Go prints the time: "2026-01-01 00:00:00 +0000 UTC". */
function goTime(wireTime: string): string {
  return wireTime.replace("T", " ").replace("Z", " +0000 UTC");
}

function once(call: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined;
  return () => {
    result ??= call();
    return result;
  };
}
