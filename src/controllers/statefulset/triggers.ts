// Which events of pods concern which StatefulSets.
// Upstream: pkg/controller/statefulset/stateful_set.go, addPod, updatePod, deletePod.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import type { EventHandler } from "#informers/informer.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { OwnerLookup } from "#kit/owner-lookup.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { isPodReady } from "#rules/pod-status.ts";
import { minReadySecondsOf, type StatefulSet, type StoredPod } from "./model.ts";

export function podTriggers(lookup: OwnerLookup<StatefulSet>, queue: KeyQueue): EventHandler<StoredPod> {
  const enqueue = (sets: readonly (StatefulSet | undefined)[], event: ChangeType, pod: StoredPod): void => {
    for (const set of sets) if (set !== undefined) queue.add(objectKey(set), eventCause(Pods, event, pod));
  };
  return {
    onAdd(pod) {
      // After a restart a pod may first be seen while it is being deleted: no set adopts it then.
      if (pod.metadata.deletionTimestamp !== undefined) enqueue([lookup.controllerOf(pod)], "delete", pod);
      else enqueue(lookup.concernedByAdd(pod), "add", pod);
    },
    onUpdate(oldPod, pod) {
      if (oldPod.metadata.resourceVersion === pod.metadata.resourceVersion) return; // a resync
      enqueue(lookup.concernedByUpdate(oldPod, pod), "update", pod);
      const set = lookup.controllerOf(pod);
      if (set === undefined || minReadySecondsOf(set) <= 0 || isPodReady(oldPod) || !isPodReady(pod)) return;
      queue.addAfter(objectKey(set), minReadySecondsOf(set) * 1000, "minReadySeconds");
    },
    onDelete: (pod) => enqueue([lookup.controllerOf(pod)], "delete", pod),
  };
}
