// Which events concern which owners. Handlers observe expectations and queue keys; they never wait.
// Upstream: pkg/controller/replicaset/replica_set.go, addRS … deletePod.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { labelsChanged, type OwnerLookup } from "#kit/owner-lookup.ts";
import { forgetOwner, type OwnerMemory } from "#kit/owner-memory.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { isPodReady } from "#rules/pod-status.ts";
import type { Deps } from "./deps.ts";
import type { ReplicaKind, ReplicaObject } from "./replica-kind.ts";

export function ownerTriggers<T extends ReplicaObject>(
  { resource }: ReplicaKind<T>,
  memory: OwnerMemory,
  queue: KeyQueue,
): EventHandler<T> {
  // Every update counts, including the periodic resync: it triggers a sync of owners whose events were missed.
  const enqueue = enqueuing(queue, resource, {});
  return {
    ...enqueue,
    // The sync also forgets a deleted owner, but it may already find a new one. Informers report another UID as a
    // deletion and an addition, even when they missed the time between the two.
    onDelete(owner, isFinalStateUnknown) {
      forgetOwner(objectKey(owner), memory, owner.metadata.uid);
      enqueue.onDelete?.(owner, isFinalStateUnknown);
    },
  };
}

export function podTriggers<T extends ReplicaObject>(
  lookup: OwnerLookup<T>,
  expectations: Deps<T>["expectations"],
  queue: KeyQueue,
): EventHandler<Stored<Pod>> {
  const enqueue = (owners: readonly T[], event: ChangeType, pod: Stored<Pod>): void => {
    for (const owner of owners) queue.add(objectKey(owner), eventCause(Pods, event, pod));
  };

  const observeDeletion = (pod: Stored<Pod>): void => {
    const owner = lookup.controllerOf(pod);
    if (owner === undefined) return; // no owner expects an orphan
    expectations.deletionObserved(objectKey(owner), objectKey(pod));
    enqueue([owner], "delete", pod);
  };

  return {
    onAdd(pod) {
      // After a restart a pod may first be seen while it is being deleted: that is not a creation.
      if (pod.metadata.deletionTimestamp !== undefined) return observeDeletion(pod);
      const owner = lookup.controllerOf(pod);
      if (owner !== undefined) expectations.creationObserved(objectKey(owner));
      enqueue(lookup.concernedByAdd(pod), "add", pod);
    },

    onUpdate(oldPod, pod) {
      if (oldPod.metadata.resourceVersion === pod.metadata.resourceVersion) return; // a resync
      if (pod.metadata.deletionTimestamp !== undefined) {
        // Graceful deletion has begun. The replacement should start now, not when the kubelet has finished.
        observeDeletion(pod);
        if (labelsChanged(oldPod, pod)) observeDeletion(oldPod);
        return;
      }
      enqueue(lookup.concernedByUpdate(oldPod, pod), "update", pod);
      const owner = lookup.controllerOf(pod);
      const minReadySeconds = owner?.spec?.minReadySeconds ?? 0;
      if (owner !== undefined && minReadySeconds > 0 && !isPodReady(oldPod) && isPodReady(pod)) {
        queue.addAfter(objectKey(owner), minReadySeconds * 1000, "minReadySeconds");
      }
    },

    onDelete: observeDeletion,
  };
}
