// Which events concern which DaemonSets. Handlers observe expectations and queue keys; they never wait.
// Upstream: pkg/controller/daemon/daemon_controller.go, addDaemonset … updateNode.

import { semanticEqual } from "#api/equality.ts";
import { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { EventHandler } from "#informers/informer.ts";
import { enqueuing } from "#kit/enqueuing.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { OwnerLookup } from "#kit/owner-lookup.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { isPodReady } from "#rules/pod-status.ts";
import {
  type DaemonSet,
  type Deps,
  minReadySecondsOf,
  type Revision,
  type StoredNode,
  type StoredPod,
} from "./model.ts";

export function setTriggers(
  { consistency, expectations }: Pick<Deps, "consistency" | "expectations">,
  queue: KeyQueue,
): EventHandler<DaemonSet> {
  const enqueue = enqueuing(queue, DaemonSets, {});
  return {
    ...enqueue,
    // A new set with the same name starts without state.
    onDelete(set, isFinalStateUnknown) {
      consistency.clear(objectKey(set), set.metadata.uid);
      expectations.forget(objectKey(set));
      enqueue.onDelete?.(set, isFinalStateUnknown);
    },
  };
}

/** A revision that appears with a controller was created by the controller itself. */
export function revisionTriggers(lookup: OwnerLookup<DaemonSet>, queue: KeyQueue): EventHandler<Revision> {
  const enqueue = (sets: readonly (DaemonSet | undefined)[], event: ChangeType, revision: Revision): void => {
    for (const set of sets)
      if (set !== undefined) queue.add(objectKey(set), eventCause(ControllerRevisions, event, revision));
  };
  return {
    onAdd(revision) {
      if (revision.metadata.deletionTimestamp !== undefined)
        enqueue([lookup.controllerOf(revision)], "delete", revision);
      else if (getControllerOf(revision) === undefined) enqueue(lookup.adoptersOf(revision), "add", revision);
    },
    onUpdate(oldRevision, revision) {
      if (oldRevision.metadata.resourceVersion === revision.metadata.resourceVersion) return; // a resync
      enqueue(lookup.concernedByUpdate(oldRevision, revision), "update", revision);
    },
    onDelete: (revision) => enqueue([lookup.controllerOf(revision)], "delete", revision),
  };
}

export function podTriggers(
  lookup: OwnerLookup<DaemonSet>,
  expectations: Deps["expectations"],
  queue: KeyQueue,
): EventHandler<StoredPod> {
  const enqueue = (sets: readonly DaemonSet[], event: ChangeType, pod: StoredPod): void => {
    for (const set of sets) queue.add(objectKey(set), eventCause(Pods, event, pod));
  };
  const observeDeletion = (pod: StoredPod): void => {
    const set = lookup.controllerOf(pod);
    if (set === undefined) return; // no set expects an orphan
    expectations.deletionObserved(objectKey(set));
    enqueue([set], "delete", pod);
  };
  return {
    onAdd(pod) {
      // After a restart a pod may first be seen while it is being deleted: that is not a creation.
      if (pod.metadata.deletionTimestamp !== undefined) return observeDeletion(pod);
      const set = lookup.controllerOf(pod);
      if (set !== undefined) expectations.creationObserved(objectKey(set));
      enqueue(lookup.concernedByAdd(pod), "add", pod);
    },
    onUpdate(oldPod, pod) {
      if (oldPod.metadata.resourceVersion === pod.metadata.resourceVersion) return; // a resync
      if (pod.metadata.deletionTimestamp !== undefined) return observeDeletion(pod);
      enqueue(lookup.concernedByUpdate(oldPod, pod), "update", pod);
      const set = lookup.controllerOf(pod);
      if (set === undefined || minReadySecondsOf(set) <= 0 || isPodReady(oldPod) || !isPodReady(pod)) return;
      queue.addAfter(objectKey(set), (minReadySecondsOf(set) + 1) * 1000, "minReadySeconds");
    },
    onDelete: observeDeletion,
  };
}

/** No other field of a node decides whether a pod may run there. */
export function isNodeChange(node: StoredNode, oldNode: StoredNode | undefined): boolean {
  return (
    oldNode === undefined ||
    !semanticEqual(oldNode.metadata.labels ?? {}, node.metadata.labels ?? {}) ||
    !semanticEqual(oldNode.spec?.taints ?? [], node.spec?.taints ?? [])
  );
}
