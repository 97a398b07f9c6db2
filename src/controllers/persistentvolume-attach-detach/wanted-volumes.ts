// Fills the desired state from pods: the attachable volumes of pods on managed nodes.
// Upstream: pkg/controller/volume/attachdetach/util, ProcessPodVolumes; attachdetach/populator;
// FindAttachablePluginBySpec.

import type { Pod, Volume } from "#api/generated/types/core-v1.ts";
import type { CSIDriver } from "#api/generated/types/storage-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import { hasStoppedUsingVolumes } from "#families/volumes/pod-claims.ts";
import { type VolumeListers, volumeSpecOf } from "#families/volumes/pod-volumes.ts";
import {
  csiSourceOf,
  isAttachablePlugin,
  isFlexVolume,
  pluginOf,
  uniqueNameOf,
  type VolumePlugin,
  type VolumeSpec,
} from "#families/volumes/volume-spec.ts";
import type { Lister } from "#informers/informer.ts";
import type { DesiredState } from "./desired-state.ts";

export interface WantedDeps extends VolumeListers {
  readonly drivers: Lister<StoredCluster<CSIDriver>>;
  readonly pods: Lister<Stored<Pod>>;
  readonly desired: DesiredState;
  readonly log: Logger;
}

/**
 * The plugin that attaches the volume. A driver without a CSIDriver object attaches; an inline CSI volume is never
 * attached.
 */
export function attacherOf(spec: VolumeSpec, drivers: WantedDeps["drivers"]): VolumePlugin | undefined {
  const plugin = pluginOf(spec);
  if (plugin === undefined || !isAttachablePlugin(plugin)) return undefined;
  if (plugin !== "kubernetes.io/csi") return plugin;
  const driver = csiSourceOf(spec)?.driver;
  const isNeeded = driver !== undefined && drivers.get(driver)?.spec?.attachRequired !== false;
  return isNeeded ? plugin : undefined;
}

export interface AttachableVolume {
  readonly name: string;
  readonly spec: VolumeSpec;
}

/** Undefined for a volume that is not bound yet, or that is not attachable. */
export function attachableVolume(pod: Stored<Pod>, volume: Volume, deps: WantedDeps): AttachableVolume | undefined {
  try {
    const spec = volumeSpecOf(pod, volume, deps);
    if (isFlexVolume(spec)) logFlexVolume(pod, volume, deps.log);
    const plugin = attacherOf(spec, deps.drivers);
    const name = plugin === undefined ? undefined : uniqueNameOf(plugin, spec);
    return name === undefined ? undefined : { name, spec };
  } catch (error) {
    const { namespace, name } = pod.metadata;
    deps.log.v(10).info("Error processing volume for pod", { pod: `${namespace}/${name}`, volume: volume.name, error });
    return undefined;
  }
}

function logFlexVolume({ metadata }: Stored<Pod>, { name }: Volume, log: Logger): void {
  const what = "FlexVolume drivers are not supported, so this program does not attach the volume";
  log.error(undefined, what, { pod: `${metadata.namespace}/${metadata.name}`, volume: name });
}

/** A pod was added or changed: its volumes are wanted until it stops using them. */
export function notePod(pod: Stored<Pod>, deps: WantedDeps): void {
  if (hasStoppedUsingVolumes(pod)) forgetPod(pod, deps);
  else eachVolume(pod, deps, (volume, node) => deps.desired.addPod(pod, volume, node));
}

export function forgetPod(pod: Stored<Pod>, deps: WantedDeps): void {
  eachVolume(pod, deps, ({ name }, node) => deps.desired.removePod(pod.metadata.uid, name, node));
}

function eachVolume(pod: Stored<Pod>, deps: WantedDeps, visit: (volume: AttachableVolume, node: string) => void): void {
  const node = pod.spec?.nodeName ?? "";
  if (node === "" || !deps.desired.isManaged(node)) return;
  for (const volume of pod.spec?.volumes ?? []) {
    const found = attachableVolume(pod, volume, deps);
    if (found !== undefined) visit(found, node);
  }
}

/** Drops pods that are gone or have stopped using volumes, and volumes that are no longer attachable. */
export function dropUnwanted({ desired, pods, drivers }: WantedDeps): void {
  for (const { name, node, spec, pods: users } of desired.volumes()) {
    for (const [uid, user] of users) {
      const pod = pods.get(objectKey(user));
      const isUser = pod !== undefined && pod.metadata.uid === uid && !hasStoppedUsingVolumes(pod);
      if (!isUser || attacherOf(spec, drivers) === undefined) desired.removePod(uid, name, node);
    }
  }
}

/** Adds volumes without an event, whose claim or driver appeared after their pod. */
export function addMissing(deps: WantedDeps): void {
  for (const pod of deps.pods.list()) {
    if (!hasStoppedUsingVolumes(pod)) eachVolume(pod, deps, (volume, node) => deps.desired.addPod(pod, volume, node));
  }
}
