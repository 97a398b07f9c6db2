// Handles events of nodes and storage objects. Upstream: pkg/scheduler/eventhandlers.go

import type { Node, PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "#api/generated/types/storage-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Stored, StoredCluster, StoredObject } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";
import { type ClusterEvent, nodeEvents } from "./cluster-event.ts";
import type { ClusterState } from "./cluster-state.ts";
import type { SchedulingQueue } from "./scheduling-queue.ts";
import type { VolumeReservations } from "./volume-reservations.ts";

export function nodeHandler(state: ClusterState, queue: SchedulingQueue): EventHandler<StoredCluster<Node>> {
  return {
    onAdd(node) {
      state.setNode(node);
      queue.moveAfter("node added");
    },
    onUpdate(before, after) {
      state.setNode(after);
      for (const event of nodeEvents(before, after)) queue.moveAfter(event);
    },
    onDelete({ metadata: { name } }) {
      state.removeNode(name);
      queue.moveAfter("node deleted");
    },
  };
}

export interface StorageHandlers {
  readonly volumes: EventHandler<StoredCluster<PersistentVolume>>;
  readonly claims: EventHandler<Stored<PersistentVolumeClaim>>;
  readonly classes: EventHandler<StoredCluster<StorageClass>>;
  readonly csiNodes: EventHandler<StoredCluster<CSINode>>;
  readonly csiDrivers: EventHandler<StoredCluster<CSIDriver>>;
  readonly capacities: EventHandler<Stored<CSIStorageCapacity>>;
  readonly attachments: EventHandler<StoredCluster<VolumeAttachment>>;
}

export function storageHandlers(queue: SchedulingQueue, reservations: VolumeReservations): StorageHandlers {
  const claimEvent = (event: ClusterEvent, claim: Stored<PersistentVolumeClaim>): void => {
    reservations.noteChange();
    queue.moveAfter(event, { claim: objectKey(claim) });
  };
  const noteVolume = (): void => {
    reservations.noteChange();
    queue.moveAfter("volume changed");
  };
  return {
    volumes: { onAdd: noteVolume, onUpdate: noteVolume, onDelete: () => reservations.noteChange() },
    claims: {
      onAdd: (claim) => claimEvent("claim added", claim),
      onUpdate: (_, claim) => claimEvent("claim changed", claim),
      onDelete: () => reservations.noteChange(),
    },
    classes: onChange(queue, "storage class changed"),
    csiNodes: onChange(queue, "CSI node changed"),
    csiDrivers: onChange(queue, "CSI driver changed"),
    capacities: onChange(queue, "storage capacity changed"),
    attachments: { onDelete: () => queue.moveAfter("attachment deleted") },
  };
}

function onChange<T extends StoredObject>(queue: SchedulingQueue, event: ClusterEvent): EventHandler<T> {
  return { onAdd: () => queue.moveAfter(event), onUpdate: () => queue.moveAfter(event) };
}
