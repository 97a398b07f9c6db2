// Flags of the controllers of volumes.

import { bool, duration, int32, string } from "../../flags/flag-types.ts";
import { at, type BoundFlag, workers } from "./bound-flag.ts";

const recycler = "config.PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration";

export const storageFlags: Readonly<Record<string, readonly BoundFlag[]>> = {
  "persistentvolume-attach-detach": [
    at(
      "disable-attach-detach-reconcile-sync",
      bool,
      "config.AttachDetachController.DisableAttachDetachReconcilerSync",
      "Do not verify periodically that attached volumes are still attached.",
    ),
    at(
      "attach-detach-reconcile-sync-period",
      duration,
      "config.AttachDetachController.ReconcilerSyncLoopPeriod",
      "Period of that verification; more than one second.",
    ),
    at(
      "disable-force-detach-on-timeout",
      bool,
      "config.AttachDetachController.disableForceDetachOnTimeout",
      "Never detach a volume by force because its unmount takes long.",
    ),
  ],
  "ephemeral-volume": [
    at(
      "concurrent-ephemeralvolume-syncs",
      int32,
      "config.EphemeralVolumeController.ConcurrentEphemeralVolumeSyncs",
      workers("ephemeral volumes"),
    ),
  ],
  "persistentvolume-binder": [
    at(
      "pvclaimbinder-sync-period",
      duration,
      "config.PersistentVolumeBinderController.PVClaimBinderSyncPeriod",
      "Period after which volumes and claims are synced again.",
    ),
    at(
      "pv-recycler-pod-template-filepath-nfs",
      string,
      `${recycler}.PodTemplateFilePathNFS`,
      "Pod template for recycling NFS volumes.",
    ),
    at(
      "pv-recycler-minimum-timeout-nfs",
      int32,
      `${recycler}.MinimumTimeoutNFS`,
      "Minimum deadline of an NFS recycler pod, in seconds.",
    ),
    at(
      "pv-recycler-increment-timeout-nfs",
      int32,
      `${recycler}.IncrementTimeoutNFS`,
      "Seconds added for each Gi of an NFS volume.",
    ),
    at(
      "pv-recycler-pod-template-filepath-hostpath",
      string,
      `${recycler}.PodTemplateFilePathHostPath`,
      "Pod template for recycling hostPath volumes. For tests on one node.",
    ),
    at(
      "pv-recycler-minimum-timeout-hostpath",
      int32,
      `${recycler}.MinimumTimeoutHostPath`,
      "Minimum deadline of a hostPath recycler pod, in seconds. For tests on one node.",
    ),
    at(
      "pv-recycler-timeout-increment-hostpath",
      int32,
      `${recycler}.IncrementTimeoutHostPath`,
      "Seconds added for each Gi of a hostPath volume. For tests on one node.",
    ),
    at(
      "enable-hostpath-provisioner",
      bool,
      "config.PersistentVolumeBinderController.VolumeConfiguration.EnableHostPathProvisioning",
      "Provision hostPath volumes. For tests on one node.",
    ),
    at(
      "enable-dynamic-provisioning",
      bool,
      "config.PersistentVolumeBinderController.VolumeConfiguration.EnableDynamicProvisioning",
      "Provision volumes on demand where the environment supports it.",
    ),
    at(
      "flex-volume-plugin-dir",
      string,
      "config.PersistentVolumeBinderController.VolumeConfiguration.FlexVolumePluginDir",
      "Accepted for compatibility. This program runs no FlexVolume drivers.",
    ),
  ],
};
