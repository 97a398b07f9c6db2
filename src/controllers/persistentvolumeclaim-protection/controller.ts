/**
 * Keeps a PersistentVolumeClaim that is being deleted while pods use it.
 *
 * Keeps true:  each claim that is not being deleted has the finalizer kubernetes.io/pvc-protection; a deleted one keeps
 *              it while a pod on a node uses it. Behind the gate PersistentVolumeClaimUnusedSinceTime the condition
 *              Unused says whether pods refer to the claim.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/volume/pvcprotection.
 * Deviations:  none.
 */

import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { concernsProtection } from "#families/protection/protection.ts";
import { addClaimIndex, claimKeysOf, hasStoppedUsingVolumes } from "#families/volumes/pod-claims.ts";
import { list, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { runBatches } from "./batches.ts";
import { type Deps, finalizer } from "./sync.ts";

export const persistentVolumeClaimProtection: ControllerDescriptor = keyedController({
  name: "persistentvolumeclaim-protection-controller",
  contract: {
    watches: [PersistentVolumeClaims, Pods],
    reads: [list(Pods)],
    writes: [update(PersistentVolumeClaims), update(PersistentVolumeClaims, "status")],
  },
  build(parts) {
    const { clock, gates } = parts.context;
    const deps: Deps = {
      clock,
      claims: parts.informer(PersistentVolumeClaims),
      pods: parts.informer(Pods),
      claimsApi: parts.client.resource(PersistentVolumeClaims),
      podsApi: parts.client.resource(Pods),
      reportsUnused: gates.isEnabled("PersistentVolumeClaimUnusedSinceTime"),
    };
    addClaimIndex(deps.pods);
    const queue = parts.queue({ name: "pvcprotection" });
    const lacksCondition = ({ status }: PersistentVolumeClaim): boolean =>
      deps.reportsUnused && !status?.conditions?.some(({ type }) => type === "Unused");
    parts.enqueue(deps.claims, queue, {
      on: ["add", "update"],
      when: (claim) => lacksCondition(claim) || concernsProtection(claim, finalizer),
    });
    // A pod that runs on a node can only add users, so its claims need no check.
    const enqueue = (pod: Stored<Pod>, event: ChangeType): void => {
      const mayFree = event === "delete" || hasStoppedUsingVolumes(pod) || (pod.spec?.nodeName ?? "") === "";
      if (!mayFree && !deps.reportsUnused) return;
      for (const key of claimKeysOf(pod)) queue.add(key, eventCause(Pods, event, pod));
    };
    parts.handle(deps.pods, {
      onAdd: (pod) => enqueue(pod, "add"),
      onUpdate: (_, pod) => enqueue(pod, "update"),
      onDelete: (pod) => enqueue(pod, "delete"),
    });
    parts.loop((signal) => runBatches(queue, deps, parts.log, signal));
  },
});
