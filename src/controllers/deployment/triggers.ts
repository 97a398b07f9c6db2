// Which events of ReplicaSets and pods concern which Deployments.
// Upstream: pkg/controller/deployment/deployment_controller.go, addReplicaSet … deletePod.

import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf, isControlledBy } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";
import { ownedAndOrphans, ownedBy } from "#kit/controller-index.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { OwnerLookup } from "#kit/owner-lookup.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import type { Deployment, Deps, ReplicaSet } from "./model.ts";

export function setTriggers(lookup: OwnerLookup<Deployment>, queue: KeyQueue): EventHandler<ReplicaSet> {
  const enqueue = (owners: readonly (Deployment | undefined)[], event: ChangeType, set: ReplicaSet): void => {
    for (const owner of owners)
      if (owner !== undefined) queue.add(objectKey(owner), eventCause(ReplicaSets, event, set));
  };
  return {
    onAdd(set) {
      // After a restart a ReplicaSet may first be seen while it is being deleted: no Deployment adopts it then.
      if (set.metadata.deletionTimestamp !== undefined) enqueue([lookup.controllerOf(set)], "delete", set);
      else enqueue(lookup.concernedByAdd(set), "add", set);
    },
    onUpdate(oldSet, set) {
      if (oldSet.metadata.resourceVersion === set.metadata.resourceVersion) return; // a resync
      enqueue(lookup.concernedByUpdate(oldSet, set), "update", set);
    },
    onDelete: (set) => enqueue([lookup.controllerOf(set)], "delete", set),
  };
}

/** Recreate waits for the end of the last pod, which no ReplicaSet event announces. */
export function podTriggers(
  lookup: OwnerLookup<Deployment>,
  { replicaSets, pods }: Pick<Deps, "replicaSets" | "pods">,
  queue: KeyQueue,
): EventHandler<Stored<Pod>> {
  const deploymentOf = (pod: Stored<Pod>): Deployment | undefined => {
    const { kind, name, uid } = getControllerOf(pod) ?? {};
    if (kind !== ReplicaSets.kind) return undefined;
    const set = replicaSets.lister.get(`${pod.metadata.namespace}/${name}`);
    return set === undefined || set.metadata.uid !== uid ? undefined : lookup.controllerOf(set);
  };
  // Deviation: upstream lists the ReplicaSets from the server here. Handlers here never wait, and the sync checks
  // again.
  const hasPods = (deployment: Deployment): boolean =>
    ownedAndOrphans(replicaSets, deployment, Deployments).some(
      (set) => isControlledBy(set, deployment) && ownedBy(pods, set, ReplicaSets).length > 0,
    );
  return {
    onDelete(pod) {
      const deployment = deploymentOf(pod);
      if (deployment?.spec?.strategy?.type !== "Recreate" || hasPods(deployment)) return;
      queue.add(objectKey(deployment), eventCause(Pods, "delete", pod));
    },
  };
}
