/**
 * Keeps the number of active pods of each ReplicaSet at spec.replicas.
 *
 * Keeps true:  spec.replicas active pods that match the selector are controlled by the ReplicaSet, and its status
 *              counts them.
 * Requeues:    when a ready pod will have been ready for minReadySeconds.
 * Upstream:    pkg/controller/replicaset.
 * Deviations:  of several parallel errors the one with the lowest index is reported, not the first to arrive; a pod
 *              that is less than a millisecond old is left out of the age metric, where Go would panic; after a create
 *              without an answer, no pod is created until the cache has caught up with the server.
 */

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { type ReplicaOptions, wireReplicas } from "#families/replicas/engine.ts";
import { replicaSetKind } from "#families/replicas/kinds.ts";
import { create, events, get, list, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";

export const replicaSetController: ControllerDescriptor<ReplicaOptions> = keyedController({
  name: "replicaset-controller",
  contract: {
    watches: [ReplicaSets, Pods],
    // The owner, before the first adoption of a sync and after a refused status write; its pods, after a create without
    // an answer.
    reads: [get(ReplicaSets), list(Pods)],
    writes: [create(Pods), remove(Pods), patch(Pods), update(ReplicaSets, "status"), ...events],
  },
  build: (parts, options) => wireReplicas(replicaSetKind, parts, options),
});
