// One item of the queue garbage_collector_attempt_to_orphan: an owner that is being deleted and whose dependents stay.
// The dependents lose their references first, then the owner its finalizer.
// Upstream: pkg/controller/garbagecollector/garbagecollector.go, attemptToOrphanWorker, orphanDependents.

import type { ObjectMeta } from "#api/meta.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { AggregateOperationError } from "#kit/aggregate-error.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { Deps } from "./deps.ts";
import { ORPHAN } from "./graph.ts";
import type { GraphNode } from "./graph-node.ts";
import { type Identity, identityText } from "./identity.ts";
import { dropOwnersMerge, dropOwnersStrategic } from "./patches.ts";

export async function attemptToOrphan(owner: GraphNode, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const releases = [...owner.dependents].map(({ identity }) => release(identity, owner.identity.uid, deps, signal));
  const results = await Promise.allSettled(releases);
  const errors = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
  if (errors.length > 0) {
    const cause = new AggregateOperationError(errors);
    const text = identityText(owner.identity);
    throw new Error(`failed to orphan dependents of owner ${text}, got errors: ${cause.message}`, { cause });
  }
  await deps.objects.removeFinalizer(owner.identity, ORPHAN, signal);
  return done;
}

async function release(dependent: Identity, ownerUid: string, { objects }: Deps, signal: AbortSignal): Promise<void> {
  const merge = (current: ObjectMeta) => dropOwnersMerge(current, [ownerUid]);
  try {
    await objects.patch(dependent, dropOwnersStrategic(dependent.uid, [ownerUid]), merge, signal);
  } catch (cause) {
    if (isNotFound(cause)) return;
    throw new Error(`orphaning ${identityText(dependent)} failed, ${errorMessage(cause)}`, { cause });
  }
}
