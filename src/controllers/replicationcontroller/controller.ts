/**
 * Keeps the number of active pods of each ReplicationController at spec.replicas, with ReplicaSet's engine.
 *
 * Keeps true:  as replicaset-controller, for ReplicationControllers.
 * Requeues:    when a ready pod will have been ready for minReadySeconds.
 * Upstream:    pkg/controller/replication.
 * Deviations:  as replicaset-controller. Upstream converts each object to a ReplicaSet and back; both have one wire
 *              form here, so only the selector is read differently. The metrics also exist when replicaset-controller,
 *              which registers them upstream, does not run.
 */

import { Pods, ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import { type ReplicaOptions, wireReplicas } from "#families/replicas/engine.ts";
import { replicationControllerKind } from "#families/replicas/kinds.ts";
import { create, events, get, list, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";

export const replicationController: ControllerDescriptor<ReplicaOptions> = keyedController({
  name: "replicationcontroller-controller",
  contract: {
    watches: [ReplicationControllers, Pods],
    // The owner, before the first adoption of a sync and after a refused status write; its pods, after a create without
    // an answer.
    reads: [get(ReplicationControllers), list(Pods)],
    writes: [create(Pods), remove(Pods), patch(Pods), update(ReplicationControllers, "status"), ...events],
  },
  build: (parts, options) => wireReplicas(replicationControllerKind, parts, options),
});
