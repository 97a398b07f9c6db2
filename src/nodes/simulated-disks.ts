/**
 * Disks without storage: the external provisioner and resizer of a CSI driver that every node reaches.
 *
 * Keeps true:  a claim of this provisioner has a PersistentVolume of the requested size; a volume with the policy
 *              Delete is deleted once it is released.
 * Watches:     PersistentVolumeClaim, PersistentVolume, StorageClass.
 * Writes:      create, update and delete of PersistentVolume; patch of persistentvolumeclaims/status; events.
 */

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { CSIDrivers, StorageClasses } from "#api/generated/resources/storage-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import { objectKey } from "#api/object.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Draft, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#api/status-error.ts";
import type { Client } from "#client/client.ts";
import {
  DELETION_SECRET_NAME,
  DELETION_SECRET_NAMESPACE,
  EXTERNAL_FINALIZER,
  PROVISIONED_BY,
  PROVISIONER,
  SELECTED_NODE,
} from "#families/volumes/binding-annotations.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { ControllerParts } from "#kit/controller-parts.ts";
import { type EventRecorder, type EventType, referenceTo } from "#kit/events/recorder.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { classOfClaim } from "#rules/storage-classes.ts";

const DRIVER = "disks.sim.steersman.dev";
const DEFAULT_CLASS = "standard";
const WORKERS = 4;

/** The driver, and the default class of its disks. Existing objects with these names stay unchanged. */
export async function createDefaultClass(client: Client, signal: AbortSignal): Promise<void> {
  const driver = { metadata: { name: DRIVER }, spec: { attachRequired: false } };
  await tolerate(client.resource(CSIDrivers).create({ object: driver }, signal), isAlreadyExists);
  const storageClass = {
    metadata: { name: DEFAULT_CLASS, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: DRIVER,
    reclaimPolicy: "Delete",
    volumeBindingMode: "WaitForFirstConsumer",
    allowVolumeExpansion: true,
  };
  await tolerate(client.resource(StorageClasses).create({ object: storageClass }, signal), isAlreadyExists);
}

interface Deps {
  readonly client: Client;
  readonly claims: SharedInformer<Claim>;
  readonly volumes: SharedInformer<Volume>;
  readonly classes: SharedInformer<StoredCluster<StorageClass>>;
  readonly recorder: EventRecorder;
}

export async function buildSimulatedDisks(context: ControllerContext): Promise<Controller> {
  const parts = await ControllerParts.under("simulated-disks", context);
  const claims = parts.informer(PersistentVolumeClaims);
  const volumes = parts.informer(PersistentVolumes);
  const classes = parts.informer(StorageClasses);
  const deps: Deps = { client: parts.client, claims, volumes, classes, recorder: parts.recorder(DRIVER) };
  const claimQueue = parts.queue({ name: "simulated-disks-claims" });
  const volumeQueue = parts.queue({ name: "simulated-disks-volumes" });
  parts.enqueue(claims, claimQueue, { on: ["add", "update"] });
  parts.enqueue(volumes, volumeQueue, { on: ["add", "update"], when: isOurs });
  parts.work({ queue: claimQueue, workers: WORKERS, sync: (key, signal) => syncClaim(key, deps, signal) });
  parts.work({ queue: volumeQueue, workers: WORKERS, sync: (key, signal) => syncVolume(key, deps, signal) });
  return parts.controller();
}

const isOurs = ({ metadata }: Volume): boolean => metadata.annotations?.[PROVISIONED_BY] === DRIVER;

async function syncClaim(key: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const claim = deps.claims.lister.get(key);
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return done;
  if (claim.spec?.volumeName) await expand(claim, claim.spec.volumeName, deps, signal);
  else if (claim.metadata.annotations?.[PROVISIONER] === DRIVER) await provision(claim, deps, signal);
  return done;
}

async function provision(claim: Claim, deps: Deps, signal: AbortSignal): Promise<void> {
  const storageClass = deps.classes.lister.get(classOfClaim(claim));
  if (storageClass?.provisioner !== DRIVER || isPopulatedByOthers(claim)) return;
  const isDelayed = storageClass.volumeBindingMode === "WaitForFirstConsumer";
  if (isDelayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined) return;
  if (claim.spec?.selector !== undefined) {
    const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": claim Selector is not supported`;
    recordEvent(claim, "Warning", "ProvisioningFailed", message, deps);
    return;
  }
  const volume = newVolume(claim, storageClass);
  const created = await tolerate(
    deps.client.resource(PersistentVolumes).create({ object: volume }, signal),
    isAlreadyExists,
  );
  if (created === undefined) return;
  const message = `External provisioner is provisioning volume for claim "${objectKey(claim)}"`;
  recordEvent(claim, "Normal", "Provisioning", message, deps);
  recordEvent(
    claim,
    "Normal",
    "ProvisioningSucceeded",
    `Successfully provisioned volume ${created.metadata.name}`,
    deps,
  );
}

/** A populator brings the data and the volume. */
function isPopulatedByOthers({ spec }: Claim): boolean {
  const kind = spec?.dataSourceRef?.kind;
  return kind !== undefined && kind !== "PersistentVolumeClaim" && kind !== "VolumeSnapshot";
}

function newVolume(claim: Claim, storageClass: StoredCluster<StorageClass>): Draft<Volume> {
  const name = `pvc-${claim.metadata.uid}`;
  const { accessModes, volumeMode, resources } = claim.spec ?? {};
  const { mountOptions = [], reclaimPolicy = "Delete" } = storageClass;
  return {
    metadata: {
      name,
      annotations: { [PROVISIONED_BY]: DRIVER, [DELETION_SECRET_NAME]: "", [DELETION_SECRET_NAMESPACE]: "" },
      ...(reclaimPolicy === "Delete" ? { finalizers: [EXTERNAL_FINALIZER] } : {}),
    },
    spec: {
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
      ...(mountOptions.length === 0 ? {} : { mountOptions }),
      capacity: { storage: resources?.requests?.storage ?? "0" },
      claimRef: referenceTo(claim, PersistentVolumeClaims),
      csi: { driver: DRIVER, volumeHandle: name },
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name,
    },
  };
}

/** The volume grows first, then the claim's status; no node has to act. */
async function expand(claim: Claim, volumeName: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const volume = deps.volumes.lister.get(volumeName);
  const storage = claim.spec?.resources?.requests?.storage;
  if (volume === undefined || !isOurs(volume) || claim.status?.phase !== "Bound") return;
  if (volume.spec?.claimRef?.uid !== claim.metadata.uid || !isLess(claim.status.capacity?.storage, storage)) return;
  const { namespace, name } = claim.metadata;
  recordEvent(claim, "Normal", "Resizing", `External resizer is resizing volume ${volumeName}`, deps);
  if (isLess(volume.spec.capacity?.storage, storage)) {
    const patch = { spec: { capacity: { storage } } };
    await deps.client.resource(PersistentVolumes).patch({ name: volumeName, type: "merge", patch }, signal);
  }
  const patch = { status: { capacity: { storage } } };
  const request = { namespace, name, type: "merge", patch, subresource: "status" } as const;
  await tolerate(deps.client.resource(PersistentVolumeClaims).patch(request, signal), isNotFound);
  recordEvent(claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded", deps);
}

const isLess = (size: string | undefined, wanted: string | undefined): boolean =>
  quantityFromWire(size).cmp(quantityFromWire(wanted)) < 0;

function recordEvent(claim: Claim, type: EventType, reason: string, message: string, { recorder }: Deps): void {
  recorder.event(referenceTo(claim, PersistentVolumeClaims), type, reason, message);
}

/** The finalizer keeps a volume with the policy Delete until the claim has released it. */
async function syncVolume(key: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const volume = deps.volumes.lister.get(key);
  if (volume === undefined) return done;
  const { name, uid, deletionTimestamp, finalizers = [] } = volume.metadata;
  const isDeletedWithClaim = volume.spec?.persistentVolumeReclaimPolicy === "Delete";
  const isReleased = volume.status?.phase === "Released";
  const volumes = deps.client.resource(PersistentVolumes);
  if (isDeletedWithClaim && isReleased && deletionTimestamp === undefined) {
    await tolerate(volumes.delete({ name, options: { preconditions: { uid } } }, signal), isNotFound, isConflict);
    return done; // the volume's next event continues
  }
  const isKept = isDeletedWithClaim && !(isReleased && deletionTimestamp !== undefined);
  if (isKept === finalizers.includes(EXTERNAL_FINALIZER) || (isKept && deletionTimestamp !== undefined)) return done;
  const others = finalizers.filter((finalizer) => finalizer !== EXTERNAL_FINALIZER);
  const metadata = { ...volume.metadata, finalizers: isKept ? [...others, EXTERNAL_FINALIZER] : others };
  await tolerate(volumes.update({ object: { ...volume, metadata } }, signal), isNotFound, isConflict);
  return done;
}
