// Which events concern which owners. Handlers observe expectations and queue keys; they never wait.
// Upstream: pkg/controller/replicaset/replica_set.go, addRS … deletePod.

import { semanticEqual } from "#api/equality.ts";
import { ValueError } from "#api/errors.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { objectKey, ref } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import type { EventHandler, SharedInformer } from "#informers/informer.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { isPodReady } from "#rules/pod-status.ts";
import { type Deps, forgetOwner, type Memory } from "./deps.ts";
import type { ReplicaObject } from "./replica-kind.ts";

/** What triggers may use: what is remembered and cached, and no way to the API. */
export type TriggerDeps<T extends ReplicaObject> = Pick<Deps<T>, "kind" | "log" | "selectorOf"> &
  Memory & { readonly owners: Pick<SharedInformer<T>, "lister"> };

export function ownerTriggers<T extends ReplicaObject>(deps: TriggerDeps<T>, queue: KeyQueue): EventHandler<T> {
  // Every update counts, the periodic resync too: it drives a sync of owners whose events were missed.
  const enqueue = enqueuing<T>(queue, deps.kind.resource, {});
  return {
    ...enqueue,
    // Here and not only in the sync, which may find a successor already: another UID is reported as a deletion and
    // an addition, also when nobody saw the moment between the two.
    onDelete(owner, isFinalStateUnknown) {
      forgetOwner(objectKey(owner), deps, owner.metadata.uid);
      enqueue.onDelete?.(owner, isFinalStateUnknown);
    },
  };
}

export function podTriggers<T extends ReplicaObject>(deps: TriggerDeps<T>, queue: KeyQueue): EventHandler<Stored<Pod>> {
  const enqueue = (owner: T, event: ChangeType, pod: Stored<Pod>): void =>
    queue.add(objectKey(owner), eventCause(Pods, event, pod));

  /** The owner that a controller reference means. A successor with the same name is not it. */
  const resolve = (pod: Stored<Pod>, controller: OwnerReference): T | undefined => {
    if (controller.kind !== deps.kind.resource.kind) return undefined;
    const owner = deps.owners.lister.get(`${pod.metadata.namespace}/${controller.name}`);
    return owner?.metadata.uid === controller.uid ? owner : undefined;
  };

  /** Owners that might adopt this orphan. An empty selector adopts nothing. */
  const enqueueAdopters = (pod: Stored<Pod>, event: ChangeType): void => {
    const labels = pod.metadata.labels ?? {};
    if (Object.keys(labels).length === 0) return;
    const adopters = deps.owners.lister.list(undefined, pod.metadata.namespace).filter((owner) => {
      const selector = deps.selectorOf(owner);
      return !(selector instanceof ValueError) && !selector.isEmpty && selector.matches(labels);
    });
    if (adopters.length > 1) {
      const message = `user error! more than one ${deps.kind.resource.kind} is selecting pods with these labels`;
      deps.log.error(undefined, message, { labels, pod: ref(pod) });
    }
    for (const owner of adopters) enqueue(owner, event, pod);
  };

  const observeDeletion = (pod: Stored<Pod>): void => {
    const controller = getControllerOf(pod);
    const owner = controller && resolve(pod, controller);
    if (owner === undefined) return; // nobody waits for an orphan
    deps.expectations.deletionObserved(objectKey(owner), objectKey(pod));
    enqueue(owner, "delete", pod);
  };

  return {
    onAdd(pod) {
      // After a restart a pod may first be seen while it is going away: that is not a creation.
      if (pod.metadata.deletionTimestamp !== undefined) return observeDeletion(pod);
      const controller = getControllerOf(pod);
      if (controller === undefined) return enqueueAdopters(pod, "add");
      const owner = resolve(pod, controller);
      if (owner === undefined) return;
      deps.expectations.creationObserved(objectKey(owner));
      enqueue(owner, "add", pod);
    },

    onUpdate(oldPod, pod) {
      if (oldPod.metadata.resourceVersion === pod.metadata.resourceVersion) return; // a resync
      const labelsChanged = !semanticEqual(oldPod.metadata.labels ?? {}, pod.metadata.labels ?? {});
      if (pod.metadata.deletionTimestamp !== undefined) {
        // Graceful deletion has begun. The replacement should start now, not when the kubelet is done.
        observeDeletion(pod);
        if (labelsChanged) observeDeletion(oldPod);
        return;
      }
      const oldController = getControllerOf(oldPod);
      const controller = getControllerOf(pod);
      const controllerChanged = !semanticEqual(oldController, controller);
      if (controllerChanged && oldController !== undefined) {
        const oldOwner = resolve(oldPod, oldController);
        if (oldOwner !== undefined) enqueue(oldOwner, "update", pod);
      }
      if (controller === undefined) {
        if (labelsChanged || controllerChanged) enqueueAdopters(pod, "update");
        return;
      }
      const owner = resolve(pod, controller);
      if (owner === undefined) return;
      enqueue(owner, "update", pod);
      const minReadySeconds = owner.spec?.minReadySeconds ?? 0;
      if (minReadySeconds > 0 && !isPodReady(oldPod) && isPodReady(pod)) {
        queue.addAfter(objectKey(owner), minReadySeconds * 1000, "minReadySeconds");
      }
    },

    onDelete: observeDeletion,
  };
}
