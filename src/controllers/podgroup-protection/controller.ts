/**
 * Keeps a PodGroup that is being deleted while active pods belong to it.
 *
 * Keeps true:  a deleted group keeps the finalizer scheduling.k8s.io/podgroup-protection while the cache shows a pod of
 *              the group that has not ended. Admission gives the finalizer to new groups; the controller never adds it.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/scheduling/podgroupprotection.
 * Deviations:  none.
 */

import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import { objectKey } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { isDeletionCandidate, syncProtection } from "#families/protection/protection.ts";
import { update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { eventCause } from "#kit/trace.ts";
import { done } from "#kit/worker-loop.ts";
import { activeGroupOf, groupsToCheck } from "./pod-groups.ts";

const finalizer = "scheduling.k8s.io/podgroup-protection";
const BY_GROUP = "activePodSchedulingGroup";

export const podGroupProtection: ControllerDescriptor = keyedController({
  name: "podgroup-protection-controller",
  contract: {
    watches: [PodGroups, Pods],
    reads: [],
    writes: [update(PodGroups)],
  },
  build(parts) {
    const groups = parts.informer(PodGroups);
    const pods = parts.informer(Pods);
    pods.addIndexers({ [BY_GROUP]: activeGroupOf });
    const api = parts.client.resource(PodGroups);
    const queue = parts.queue({ name: "podgroupprotection" });
    parts.enqueue(groups, queue, { on: ["add", "update"], when: (group) => isDeletionCandidate(group, finalizer) });
    parts.handle(pods, {
      onAdd(pod) {
        for (const key of groupsToCheck(undefined, pod)) queue.add(key, eventCause(Pods, "add", pod));
      },
      onUpdate(old, pod) {
        for (const key of groupsToCheck(old, pod)) queue.add(key, eventCause(Pods, "update", pod));
      },
      onDelete(pod) {
        for (const key of groupsToCheck(pod, undefined)) queue.add(key, eventCause(Pods, "delete", pod));
      },
    });
    const isUsed = (group: StoredObject): boolean => pods.store.byIndex(BY_GROUP, objectKey(group)).length > 0;
    parts.work({
      queue,
      async sync(key, signal) {
        const group = groups.lister.get(key);
        if (group === undefined || !isDeletionCandidate(group, finalizer)) return done;
        return await syncProtection(group, { finalizer, api, isUsed }, signal);
      },
    });
  },
});
