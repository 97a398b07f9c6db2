/**
 * The scheduler: gives each pod without a node the best of the nodes that can run it.
 *
 * Keeps true:  a pod of the default scheduler without a node, gates or deletion is bound if a node fits; otherwise its
 *              condition says why not.
 * Requeues:    unschedulable pods after events that may help them, and after five minutes; errors after a back-off.
 * Upstream:    cmd/kube-scheduler, pkg/scheduler
 * Deviations:  no preemption, no allocation of device claims, no scheduler configuration, no gang scheduling
 *              (docs/scheduler.md).
 */

import { ReplicaSets, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import {
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  ReplicationControllers,
  Services,
} from "#api/generated/resources/core-v1.ts";
import {
  CSIDrivers,
  CSINodes,
  CSIStorageCapacities,
  StorageClasses,
  VolumeAttachments,
} from "#api/generated/resources/storage-v1.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { ControllerParts } from "#kit/controller-parts.ts";
import { NodeChooser } from "./choose-node.ts";
import type { ClusterObjects } from "./cluster-objects.ts";
import { ClusterState } from "./cluster-state.ts";
import { nodeHandler, storageHandlers } from "./object-handlers.ts";
import { podHandler } from "./pod-handler.ts";
import { Scheduling } from "./scheduling.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";
import { VolumeReservations } from "./volume-reservations.ts";

export const SCHEDULER_IDENTITY = "system:kube-scheduler";
const DEFAULT_SCHEDULER = "default-scheduler";
const ATTACHMENTS_BY_NODE = "scheduler-attachments-by-node";

export async function buildScheduler(context: ControllerContext): Promise<Controller> {
  const { clock, gates } = context;
  const parts = await ControllerParts.under(SCHEDULER_IDENTITY, context);
  const pods = parts.informer(Pods);
  const nodes = parts.informer(Nodes);
  const volumes = parts.informer(PersistentVolumes);
  const claims = parts.informer(PersistentVolumeClaims);
  const attachments = parts.informer(VolumeAttachments);
  attachments.addIndexers({ [ATTACHMENTS_BY_NODE]: ({ spec }) => [spec?.nodeName ?? ""] });
  const reservations = new VolumeReservations({
    clock,
    client: parts.client,
    nodes: nodes.lister,
    pods: pods.lister,
    volumes,
    claims,
  });
  const objects: ClusterObjects = {
    namespaces: parts.informer(Namespaces).lister,
    services: parts.informer(Services).lister,
    replicationControllers: parts.informer(ReplicationControllers).lister,
    replicaSets: parts.informer(ReplicaSets).lister,
    statefulSets: parts.informer(StatefulSets).lister,
    storageClasses: parts.informer(StorageClasses).lister,
    volumes: reservations.volumes,
    claims: reservations.claims,
    csiNodes: parts.informer(CSINodes).lister,
    csiDrivers: parts.informer(CSIDrivers).lister,
    capacities: parts.informer(CSIStorageCapacities).lister,
    attachmentsOf: (name) => attachments.store.byIndex(ATTACHMENTS_BY_NODE, name),
  };
  const state = new ClusterState();
  const assumed = new Set<string>();
  const comparesIntegers = gates.isEnabled("TaintTolerationComparisonOperators");
  const chooser = new NodeChooser({ state, objects, rng: context.rng.fork("scheduler"), comparesIntegers });
  const queue = new SchedulingQueue(clock, () => scheduling.wake());
  const scheduling: Scheduling = new Scheduling({
    clock,
    log: parts.log,
    gates,
    podsApi: parts.client.resource(Pods),
    pods: pods.lister,
    recorder: parts.recorder(DEFAULT_SCHEDULER),
    state,
    chooser,
    queue,
    reservations,
    assumed,
  });
  parts.handle(nodes, nodeHandler(state, queue));
  parts.handle(pods, podHandler({ state, queue, assumed, schedulerName: DEFAULT_SCHEDULER, reservations }));
  const storage = storageHandlers(queue, reservations);
  parts.handle(volumes, storage.volumes);
  parts.handle(claims, storage.claims);
  parts.handle(parts.informer(StorageClasses), storage.classes);
  parts.handle(parts.informer(CSINodes), storage.csiNodes);
  parts.handle(parts.informer(CSIDrivers), storage.csiDrivers);
  parts.handle(parts.informer(CSIStorageCapacities), storage.capacities);
  parts.handle(attachments, storage.attachments);
  parts.loop(async (signal) => {
    using _ = queue;
    await scheduling.run(signal);
  });
  return parts.controller();
}
