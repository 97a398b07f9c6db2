/**
 * Keeps the number of active pods of each ReplicaSet at spec.replicas.
 *
 * Keeps true:  spec.replicas active pods that match the selector are controlled by the ReplicaSet, and
 *              its status counts them.
 * Watches:     ReplicaSet (index: controller UID), Pod (index: controller).
 * Reads live:  the ReplicaSet, before the first adoption of a sync and after a refused status write; its pods, after
 *              a create whose answer never came.
 * Writes:      create, delete and strategic merge patch of Pod; update of ReplicaSet/status; events.
 * Requeues:    when a ready pod will have been ready for minReadySeconds.
 * Identity:    replicaset-controller.
 * Upstream:    pkg/controller/replicaset.
 * Deviations:  of several parallel errors the one of the lowest index is reported, not the first to arrive;
 *              a pod that is less than a millisecond old is left out of the age metric, where Go would panic;
 *              after a create whose answer never came nothing is created before the cache has seen what came of it.
 */

import { buildReplicaController, type ReplicaOptions } from "#families/replicas/engine.ts";
import { replicaSetKind } from "#families/replicas/kinds.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";

export const replicaSetController: ControllerDescriptor<ReplicaOptions> = {
  name: "replicaset-controller",
  build: (context, options) => buildReplicaController(replicaSetKind, context, options),
};
