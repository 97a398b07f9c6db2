/**
 * Keeps the number of active pods of each ReplicationController at spec.replicas, with ReplicaSet's engine.
 *
 * Keeps true:  as replicaset-controller, for ReplicationControllers.
 * Watches:     ReplicationController, Pod (index: controller).
 * Reads live:  the ReplicationController, before the first adoption of a sync and after a refused status write.
 * Writes:      create, delete and strategic merge patch of Pod; update of ReplicationController/status; events.
 * Requeues:    when a ready pod will have been ready for minReadySeconds.
 * Identity:    replication-controller.
 * Upstream:    pkg/controller/replication.
 * Deviations:  as replicaset-controller. Upstream converts each object to a ReplicaSet and back; both have one
 *              wire form here, so only the selector is read differently. The metrics are there also where
 *              replicaset-controller, which registers them upstream, does not run.
 */

import { buildReplicaController, type ReplicaOptions } from "#families/replicas/engine.ts";
import { replicationControllerKind } from "#families/replicas/kinds.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";

export const replicationController: ControllerDescriptor<ReplicaOptions> = {
  name: "replicationcontroller-controller",
  build: (context, options) => buildReplicaController(replicationControllerKind, context, options),
};
