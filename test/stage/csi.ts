// The actions of an external CSI driver, and of the kubelets on its nodes, in scenarios of the storage controllers.

import { Nodes, PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { VolumeAttachments } from "#api/generated/resources/storage-v1.ts";
import type { Node, PersistentVolumeSpec, Volume } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { podSpec, type StoredPod } from "./pods.ts";
import type { Stage } from "./stage.ts";
import { bindClaim, claimSpec, claimVolume } from "./volumes.ts";

export type VolumeAttachment = ObjectOf<typeof VolumeAttachments>;

const DRIVER = "csi.example.com";
const FINALIZER = "external-attacher/csi-example-com";
const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";

/** Creates a node whose volumes the attach-detach controller attaches, unless `isManaged` is false. */
export async function createNode(stage: Stage, base: string, isManaged = true): Promise<string> {
  const name = stage.name(base);
  await stage.of(Nodes).create({ metadata: { name, ...(isManaged ? { annotations: { [MANAGED]: "true" } } : {}) } });
  return name;
}

export function manage(stage: Stage, node: string): Promise<unknown> {
  return stage.of(Nodes).patch(node, { metadata: { annotations: { [MANAGED]: "true" } } });
}

export interface CsiVolume {
  /** The name of the PersistentVolume. */
  readonly name: string;
  /** The name of the volume in the status of nodes. */
  readonly uniqueName: string;
}

/** Creates a volume of the driver and a claim that is bound to it. */
export async function createCsiVolume(
  stage: Stage,
  claim: string,
  more: Partial<PersistentVolumeSpec> = {},
  driver: string = DRIVER,
): Promise<CsiVolume> {
  const volume = await createUnboundCsiVolume(stage, claim, more, driver);
  await bindClaim(stage, claim, volume.name);
  await stage.settle();
  return volume;
}

/** Creates a volume and a claim; the claim waits for the binder or its stand-in. */
export async function createUnboundCsiVolume(
  stage: Stage,
  claim: string,
  more: Partial<PersistentVolumeSpec> = {},
  driver: string = DRIVER,
): Promise<CsiVolume> {
  const name = stage.name(`pv-${claim}`);
  const accessModes = more.accessModes ?? ["ReadWriteOnce"];
  const csi = { driver, volumeHandle: name };
  await stage.of(PersistentVolumes).create({
    metadata: { name },
    spec: {
      capacity: { storage: "1Gi" },
      persistentVolumeReclaimPolicy: "Retain",
      storageClassName: "none",
      claimRef: { namespace: stage.namespace, name: claim },
      csi,
      ...more,
      accessModes,
    },
  });
  await stage
    .of(PersistentVolumeClaims)
    .create({ metadata: { name: claim }, spec: claimSpec({ accessModes, volumeName: name }) });
  return { name, uniqueName: `kubernetes.io/csi/${driver}^${name}` };
}

/** Creates a pod on the node that mounts the claims or has the volumes. */
export function createPodOn(
  stage: Stage,
  name: string,
  node: string,
  ...volumes: readonly (string | Volume)[]
): Promise<StoredPod> {
  const mounted = volumes.map((volume, i) =>
    typeof volume === "string" ? { ...claimVolume(volume), name: `data-${i}` } : volume,
  );
  return stage.of(Pods).create({ metadata: { name }, spec: { ...podSpec, nodeName: node, volumes: mounted } });
}

/**
 * Waits for the VolumeAttachment and gives it a symbolic name for comparisons: its real name is a hash of the play's
 * names.
 */
export async function attachmentOf(stage: Stage, node: string, symbol: string): Promise<VolumeAttachment> {
  const found = await stage.until(`a VolumeAttachment for ${node}`, async () =>
    (await stage.of(VolumeAttachments).list()).find(
      ({ metadata, spec }) => spec?.nodeName === node && metadata.deletionTimestamp === undefined,
    ),
  );
  stage.call(found.metadata.name, symbol);
  return found;
}

/** Acts as the driver: attaches the volume of the next VolumeAttachment for the node. */
export async function driverAttaches(stage: Stage, node: string, symbol: string): Promise<string> {
  const { name } = (await attachmentOf(stage, node, symbol)).metadata;
  await stage.of(VolumeAttachments).patch(name, { metadata: { finalizers: [FINALIZER] } });
  await reportAttachment(stage, name, { attached: true });
  return name;
}

/** Acts as the driver: reports that the volume of a deleted VolumeAttachment is detached. */
export async function driverDetaches(stage: Stage, name: string): Promise<void> {
  await stage.of(VolumeAttachments).until(name, ({ metadata }) => metadata.deletionTimestamp !== undefined);
  await stage.of(VolumeAttachments).patch(name, { metadata: { finalizers: null } });
  await stage.of(VolumeAttachments).untilGone(name);
}

export function reportAttachment(stage: Stage, name: string, status: object): Promise<VolumeAttachment> {
  return stage.of(VolumeAttachments).patch(name, { status }, { subresource: "status" });
}

/** Waits until the node's status lists exactly these volumes as attached. */
export async function untilReported(stage: Stage, node: string, ...volumes: readonly CsiVolume[]): Promise<void> {
  const wanted = volumes.map(({ uniqueName }) => uniqueName).toSorted();
  await stage.of(Nodes).until(node, ({ status }) => attachedTo(status).join() === wanted.join());
}

export function attachedTo(status: Node["status"]): readonly string[] {
  return (status?.volumesAttached ?? []).map(({ name = "" }) => name).toSorted();
}

/** Reports the volumes that the kubelet has mounted. */
export function setInUse(stage: Stage, node: string, ...volumes: readonly CsiVolume[]): Promise<unknown> {
  const volumesInUse = volumes.map(({ uniqueName }) => uniqueName);
  return stage.of(Nodes).patch(node, { status: { volumesInUse } }, { subresource: "status" });
}

export function setReady(stage: Stage, node: string, status: "True" | "False"): Promise<unknown> {
  const conditions = [{ type: "Ready", status, reason: "Test", message: "" }];
  return stage.of(Nodes).patch(node, { status: { conditions } }, { subresource: "status" });
}
