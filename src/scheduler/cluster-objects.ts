// The objects besides nodes and pods that decisions use.

import type { ReplicaSet, StatefulSet } from "#api/generated/types/apps-v1.ts";
import type {
  Namespace,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicationController,
  Service,
} from "#api/generated/types/core-v1.ts";
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from "#api/generated/types/storage-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { Stored, StoredCluster, StoredObject } from "#api/resource.ts";

/** An informer's lister also has this shape. */
export interface Objects<T extends StoredObject> {
  get(key: ObjectKey): T | undefined;
  list(selector?: undefined, namespace?: string): readonly T[];
}

export interface ClusterObjects {
  readonly namespaces: Objects<StoredCluster<Namespace>>;
  readonly services: Objects<Stored<Service>>;
  readonly replicationControllers: Objects<Stored<ReplicationController>>;
  readonly replicaSets: Objects<Stored<ReplicaSet>>;
  readonly statefulSets: Objects<Stored<StatefulSet>>;
  readonly storageClasses: Objects<StoredCluster<StorageClass>>;
  /** With the scheduler's assumptions applied. */
  readonly volumes: Objects<StoredCluster<PersistentVolume>>;
  readonly claims: Objects<Stored<PersistentVolumeClaim>>;
  readonly csiNodes: Objects<StoredCluster<CSINode>>;
  readonly csiDrivers: Objects<StoredCluster<CSIDriver>>;
  readonly capacities: Objects<Stored<CSIStorageCapacity>>;
  attachmentsOf(nodeName: string): readonly StoredCluster<VolumeAttachment>[];
}
