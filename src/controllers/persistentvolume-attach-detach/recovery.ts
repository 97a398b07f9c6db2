// Recovers the state at the controller's start: volumes that nodes report as attached and in use, VolumeAttachments
// that no node reports, and pods.
// Upstream: pkg/controller/volume/attachdetach/attach_detach_controller.go, populateActualStateOfWorld,
// processVolumeAttachments, populateDesiredStateOfWorld.

import type { Node } from "#api/generated/types/core-v1.ts";
import type { VolumeAttachment } from "#api/generated/types/storage-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { translatedToCsi } from "#families/volumes/csi-translation.ts";
import { persistentVolumeSpec } from "#families/volumes/pod-volumes.ts";
import { uniqueNameOf } from "#families/volumes/volume-spec.ts";
import type { Lister } from "#informers/informer.ts";
import type { ActualState } from "./actual-state.ts";
import type { DesiredState } from "./desired-state.ts";
import { type AttachableVolume, attachableVolume, attacherOf, notePod, type WantedDeps } from "./wanted-volumes.ts";

export interface RecoveryDeps extends WantedDeps {
  readonly nodes: Lister<StoredCluster<Node>>;
  readonly attachments: Lister<StoredCluster<VolumeAttachment>>;
  readonly actual: ActualState;
}

const MANAGED = "volumes.kubernetes.io/controller-managed-attach-detach";

/** A node is managed if this annotation says that its kubelet leaves attaching and detaching to the controller. */
export function noteNode({ metadata, status }: StoredCluster<Node>, actual: ActualState, desired: DesiredState): void {
  if (metadata.annotations?.[MANAGED] !== undefined) desired.addNode(metadata.name);
  actual.setInUse(metadata.name, status?.volumesInUse ?? []);
}

export function recover(deps: RecoveryDeps): void {
  const { actual, desired, nodes } = deps;
  for (const { metadata, status } of nodes.list()) {
    for (const { name = "", devicePath } of status?.volumesAttached ?? []) {
      actual.markAttached(name, undefined, metadata.name, devicePath);
    }
  }
  for (const attachment of deps.attachments.list()) recoverAttachment(attachment, deps);
  // Deviation: this comes after the attachments, so that an attachment that the node does not use is not counted as
  // mounted until the node's next heartbeat. Upstream counts it.
  for (const node of nodes.list()) noteNode(node, actual, desired);
  for (const pod of deps.pods.list()) {
    if ((pod.spec?.nodeName ?? "") === "") continue;
    notePod(pod, deps);
    for (const volume of pod.spec?.volumes ?? [])
      fillSpec(attachableVolume(pod, volume, deps), pod.spec?.nodeName, deps);
  }
}

/** An attachment that no node reports: the driver may have attached it, or may be about to. */
function recoverAttachment({ metadata, spec, status }: StoredCluster<VolumeAttachment>, deps: RecoveryDeps): void {
  const node = spec?.nodeName ?? "";
  const volume = deps.volumes.get(spec?.source?.persistentVolumeName ?? "");
  const skip = (why: string): void => {
    deps.log.info(why, { attachment: metadata.name, node });
  };
  if (volume === undefined) {
    skip("Skipping the VolumeAttachment: it names no PersistentVolume, or one that does not exist");
    return;
  }
  try {
    const found = translatedToCsi(persistentVolumeSpec(volume), "");
    const plugin = attacherOf(found, deps.drivers);
    const name = plugin === undefined ? undefined : uniqueNameOf(plugin, found);
    if (name === undefined) skip("Skipping the VolumeAttachment: nothing attaches its volume");
    else if (deps.actual.state(name, node) === "detached") {
      const isAttached = status?.attached === true && metadata.deletionTimestamp === undefined;
      deps.actual.markUncertain(name, found, node, isAttached ? "found-attached" : "found");
    }
  } catch (error) {
    deps.log.error(error, "Failed to translate intree volumeSpec to CSI volumeSpec for volume", { node });
  }
}

/** A node's status has only names of volumes: the rest comes from the pods that use them. */
function fillSpec(volume: AttachableVolume | undefined, node = "", { actual, nodes }: RecoveryDeps): void {
  if (volume === undefined || actual.state(volume.name, node) !== "attached") return;
  const listed = nodes.get(node)?.status?.volumesAttached?.find(({ name }) => name === volume.name);
  if (listed !== undefined) actual.markAttached(volume.name, volume.spec, node, listed.devicePath);
}
