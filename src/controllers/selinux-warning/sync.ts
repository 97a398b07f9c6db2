// Syncs one pod: records how it uses its volumes, and reports conflicts to it and the other pods.
// Upstream: pkg/controller/volume/selinuxwarning/selinux_warning_controller.go, syncPod, syncVolume.

import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { CSIDriver } from "#api/generated/types/storage-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import { objectKey } from "#api/object.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { type VolumeListers, volumeSpecOf } from "#families/volumes/pod-volumes.ts";
import {
  alwaysMountsWithContext,
  pluginOf,
  specName,
  uniqueNameOf,
  type VolumePlugin,
  type VolumeSpec,
} from "#families/volumes/volume-spec.ts";
import type { Lister } from "#informers/informer.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { mountedLabels } from "./labels.ts";
import { type Conflict, conflictMessage, type VolumeUse, type VolumeUsers } from "./volume-users.ts";

export interface Deps extends VolumeListers {
  readonly pods: Lister<Stored<Pod>>;
  readonly drivers: Lister<StoredCluster<CSIDriver>>;
  readonly users: VolumeUsers;
  readonly recorder: EventRecorder;
}

export function syncPod(key: ObjectKey, deps: Deps): SyncResult {
  const pod = deps.pods.get(key);
  if (pod === undefined || isPodTerminal(pod)) {
    deps.users.remove(key);
    return done;
  }
  const labels = mountedLabels(pod);
  const errors: unknown[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    try {
      const spec = volumeSpecOf(pod, volume, deps);
      const mounted = labels.get(volume.name ?? "");
      if (mounted !== undefined) syncVolume(pod, volume.name ?? "", spec, [...mounted], deps);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw aggregate(errors);
  return done;
}

function syncVolume(pod: Stored<Pod>, name: string, spec: VolumeSpec, labels: readonly string[], deps: Deps): void {
  const plugin = pluginOf(spec);
  if (labels.length > 1) {
    const message = `Volume "${name}" is mounted twice with different SELinux labels inside this pod`;
    deps.recorder.event(referenceTo(pod, Pods), "Warning", "MultipleSELinuxLabels", message);
    throw new Error(`multiple SELinux labels found: ${labels.join(",")}`);
  }
  // The plugin of the volume is not linked into the program.
  if (plugin === undefined) return;
  const volume = uniqueNameOf(plugin, spec);
  if (volume === undefined) throw new Error(`failed to get unique volume name for volume "${specName(spec)}"`);
  const driver = driverOf(spec);
  const use = useOf(pod, labels[0] ?? "", mountsWithContext(plugin, driver, deps));
  for (const conflict of deps.users.add(volume, objectKey(pod), use, driver)) {
    // If one of the two pods is gone, the conflict is over; upstream then reports no further conflicts.
    if (!reportConflict(conflict, deps)) return;
  }
}

function driverOf({ volume, persistentVolume }: VolumeSpec): string | undefined {
  return volume?.csi?.driver ?? persistentVolume?.spec?.csi?.driver;
}

function mountsWithContext(plugin: VolumePlugin, driver: string | undefined, { drivers }: Deps): boolean {
  if (plugin !== "kubernetes.io/csi") return alwaysMountsWithContext(plugin);
  return drivers.get(driver ?? "")?.spec?.seLinuxMount ?? false;
}

/**
 * How a kubelet mounts the volume: with the label as a mount context, or without, followed by relabeling all files.
 */
function useOf({ spec }: Pod, label: string, isSupported: boolean): VolumeUse {
  const isRecursive = spec?.securityContext?.seLinuxChangePolicy === "Recursive" || !isSupported || label === "";
  return isRecursive ? { label: "", policy: "Recursive" } : { label, policy: "MountOption" };
}

function reportConflict(conflict: Conflict, { pods, recorder }: Deps): boolean {
  const pod = pods.get(conflict.pod);
  if (pod === undefined) return false;
  recorder.event(referenceTo(pod, Pods), "Normal", `${conflict.property}Conflict`, conflictMessage(conflict));
  return true;
}
