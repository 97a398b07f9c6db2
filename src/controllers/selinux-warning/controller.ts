/**
 * Warns about pods that use one volume with different SELinux labels or policies: on one node, only one of them could
 * access it.
 *
 * Keeps true:  a pod that is added, bound to a volume, or checked again because its driver changed gets events about
 *              its conflicts, and so do the conflicting pods.
 * Requeues:    never; a pod whose claim is not bound, or that has one volume with several labels, is retried with
 *              back-off.
 * Upstream:    pkg/controller/volume/selinuxwarning.
 * Deviations:  no FlexVolume. A deletion of a CSIDriver that the watch missed counts like any other.
 */

import { PersistentVolumeClaims, PersistentVolumes, Pods } from "#api/generated/resources/core-v1.ts";
import { CSIDrivers } from "#api/generated/resources/storage-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import type { Metrics } from "#base/metrics.ts";
import { addClaimIndex, podsOfClaim } from "#families/volumes/pod-claims.ts";
import { events } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { eventCause } from "#kit/trace.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { type Deps, syncPod } from "./sync.ts";
import { VolumeUsers } from "./volume-users.ts";

export const seLinuxWarningController: ControllerDescriptor = keyedController({
  name: "selinux-warning-controller",
  contract: {
    watches: [Pods, PersistentVolumeClaims, PersistentVolumes, CSIDrivers],
    reads: [],
    writes: [...events],
  },
  build(parts) {
    const pods = parts.informer(Pods);
    const claims = parts.informer(PersistentVolumeClaims);
    const volumes = parts.informer(PersistentVolumes);
    const drivers = parts.informer(CSIDrivers);
    addClaimIndex(pods);
    const users = new VolumeUsers();
    const deps: Deps = {
      pods: pods.lister,
      claims: claims.lister,
      volumes: volumes.lister,
      drivers: drivers.lister,
      users,
      recorder: parts.recorder("selinux_warning", 3),
    };
    registerConflicts(parts.context.metrics, users);

    const queue = parts.queue({ name: "selinux_warning" });
    parts.enqueue(pods, queue, { on: ["add", "update", "delete"], when: isNewOrOver });
    const enqueueUsers = (claim: string, cause: ReturnType<typeof eventCause>): void => {
      for (const pod of podsOfClaim(pods, claim)) queue.add(objectKey(pod), cause);
    };
    parts.handle(claims, {
      onAdd: (claim) => {
        if (claim.spec?.volumeName) enqueueUsers(objectKey(claim), eventCause(PersistentVolumeClaims, "add", claim));
      },
      onUpdate: (old, claim) => {
        if (old.spec?.volumeName === claim.spec?.volumeName) return;
        enqueueUsers(objectKey(claim), eventCause(PersistentVolumeClaims, "update", claim));
      },
    });
    parts.handle(volumes, {
      onAdd: (volume) => {
        const { uid, namespace, name } = volume.spec?.claimRef ?? {};
        if (uid) enqueueUsers(`${namespace}/${name}`, eventCause(PersistentVolumes, "add", volume));
      },
      onUpdate: (old, volume) => {
        const { uid, namespace, name } = volume.spec?.claimRef ?? {};
        if (!uid || old.spec?.claimRef?.uid === uid) return;
        enqueueUsers(`${namespace}/${name}`, eventCause(PersistentVolumes, "update", volume));
      },
    });
    const enqueueDriver = (driver: string, cause: ReturnType<typeof eventCause>): void => {
      for (const pod of users.podsOfDriver(driver)) queue.add(pod, cause);
    };
    parts.handle(drivers, {
      onAdd: (driver) => enqueueDriver(driver.metadata.name, eventCause(CSIDrivers, "add", driver)),
      onUpdate: (old, driver) => {
        if ((old.spec?.seLinuxMount ?? false) === (driver.spec?.seLinuxMount ?? false)) return;
        enqueueDriver(driver.metadata.name, eventCause(CSIDrivers, "update", driver));
      },
      onDelete: (driver) => {
        if (!driver.spec?.seLinuxMount) return;
        enqueueDriver(driver.metadata.name, eventCause(CSIDrivers, "delete", driver));
      },
    });
    parts.work({ queue, sync: async (key) => syncPod(key, deps) });
  },
});

/** The relevant fields of a pod change only when it ends. */
function isNewOrOver(pod: Stored<Pod>, old: Stored<Pod> | undefined): boolean {
  return old === undefined || (old.status?.phase !== pod.status?.phase && isPodTerminal(pod));
}

/** The values are computed on reading. */
function registerConflicts(metrics: Metrics, users: VolumeUsers): void {
  metrics.gaugeFunc(
    {
      name: "selinux_warning_controller_selinux_volume_conflict",
      help: "Conflict between two Pods using the same volume",
      stability: "ALPHA",
      labels: ["property", "pod1_namespace", "pod1_name", "pod1_value", "pod2_namespace", "pod2_name", "pod2_value"],
    },
    () =>
      users.conflicts().map(({ property, pod, value, otherPod, otherValue }) => ({
        labelValues: [property, ...pod.split("/"), value, ...otherPod.split("/"), otherValue],
        value: 1,
      })),
  );
}
