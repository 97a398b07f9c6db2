// Printers of the storage and resource groups. Upstream: pkg/printers/internalversion/printers.go

import type * as resource from "#api/generated/types/resource-v1.ts";
import type * as pools from "#api/generated/types/resource-v1alpha3.ts";
import type * as taints from "#api/generated/types/resource-v1beta2.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { EpochMs } from "#base/clock.ts";
import { ageOf, defaultMark, nameAndAge, nameOf, orNone, type Printer, printer, since } from "#kinds/parts/printer.ts";

function csiDriverCells(driver: storage.CSIDriver, now: EpochMs): unknown[] {
  const { spec } = driver;
  return [
    nameOf(driver),
    spec?.attachRequired ?? true,
    spec?.podInfoOnMount ?? false,
    spec?.storageCapacity ?? false,
    spec?.tokenRequests === undefined ? "<unset>" : spec.tokenRequests.map(({ audience }) => audience).join(","),
    spec?.requiresRepublish ?? false,
    orNone((spec?.volumeLifecycleModes ?? []).join(",")),
    ageOf(driver, now),
  ];
}

function storageClassCells(object: storage.StorageClass, now: EpochMs): unknown[] {
  const mark = defaultMark(
    object,
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
  );
  return [
    nameOf(object) + mark,
    object.provisioner ?? "",
    object.reclaimPolicy ?? "Delete",
    object.volumeBindingMode ?? "Immediate",
    object.allowVolumeExpansion ?? false,
    ageOf(object, now),
  ];
}

function claimState({ metadata, status }: resource.ResourceClaim): string {
  const states = metadata?.deletionTimestamp ? ["deleted"] : [];
  if (status?.allocation) states.push("allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : []));
  else if (states.length === 0) states.push("pending");
  return states.join(",");
}

function poolStatusCells(object: pools.ResourcePoolStatusRequest, now: EpochMs): unknown[] {
  const { spec, status } = object;
  const final = status?.conditions?.find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
  const list = status?.pools ?? [];
  const poolCount = status?.poolCount ?? 0;
  const isComplete = final?.type === "Complete";
  const word =
    isComplete && poolCount > list.length ? `Complete (${list.length}/${poolCount} pools)` : (final?.type ?? "Pending");
  const isCounted = status !== undefined && final?.type !== "Failed";
  const sum = (read: (pool: pools.PoolStatus) => number | undefined): string =>
    isCounted ? String(list.reduce((total, pool) => total + (read(pool) ?? 0), 0)) : "-";
  return [
    nameOf(object),
    spec?.driver ?? "",
    sum((pool) => pool.totalDevices),
    sum((pool) => pool.availableDevices),
    sum((pool) => pool.allocatedDevices),
    sum((pool) => pool.unavailableDevices),
    sum((pool) => (pool.validationError === undefined ? 0 : 1)),
    poolCount,
    word,
    isComplete ? since(final?.lastTransitionTime, now) : "<none>",
  ];
}

export const STORAGE_AND_DEVICE_PRINTERS: Readonly<Record<string, Printer>> = {
  "csidrivers.storage.k8s.io": printer(
    "Name|AttachRequired:boolean|PodInfoOnMount:boolean|StorageCapacity:boolean|TokenRequests|RequiresRepublish:boolean|Modes|Age",
    csiDriverCells,
  ),
  "csinodes.storage.k8s.io": printer<storage.CSINode>("Name|Drivers:integer|Age", (object, now) => [
    nameOf(object),
    (object.spec?.drivers ?? []).length,
    ageOf(object, now),
  ]),
  "csistoragecapacities.storage.k8s.io": printer<storage.CSIStorageCapacity>(
    "Name|StorageClassName|Capacity",
    (object) => [
      nameOf(object),
      object.storageClassName ?? "",
      object.capacity === undefined ? "<unset>" : quantityFromWire(object.capacity).toString(),
    ],
  ),
  "storageclasses.storage.k8s.io": printer(
    "Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age",
    storageClassCells,
  ),
  "volumeattachments.storage.k8s.io": printer<storage.VolumeAttachment>(
    "Name|Attacher!|PV|Node|Attached:boolean|Age",
    (object, now) => [
      nameOf(object),
      object.spec?.attacher ?? "",
      object.spec?.source?.persistentVolumeName ?? "",
      object.spec?.nodeName ?? "",
      object.status?.attached ?? false,
      ageOf(object, now),
    ],
  ),
  "volumeattributesclasses.storage.k8s.io": printer<storage.VolumeAttributesClass>(
    "Name|DriverName|Age",
    (object, now) => [nameOf(object), object.driverName ?? "", ageOf(object, now)],
  ),
  "deviceclasses.resource.k8s.io": nameAndAge,
  "devicetaintrules.resource.k8s.io": printer<taints.DeviceTaintRule>(
    "Name|Key|Value|Effect|TimeAdded|Age",
    (rule, now) => {
      const taint = rule.spec?.taint;
      const added = taint?.timeAdded ? since(taint.timeAdded, now) : "";
      return [nameOf(rule), taint?.key ?? "", taint?.value ?? "", taint?.effect ?? "", added, ageOf(rule, now)];
    },
  ),
  "resourceclaims.resource.k8s.io": printer<resource.ResourceClaim>("Name|State|Age", (claim, now) => [
    nameOf(claim),
    claimState(claim),
    ageOf(claim, now),
  ]),
  "resourceclaimtemplates.resource.k8s.io": nameAndAge,
  "resourcepoolstatusrequests.resource.k8s.io": printer(
    "Name|Driver|Total|Available|Allocated|Unavailable|Errors|Pools:integer|Status|Completed",
    poolStatusCells,
  ),
  "resourceslices.resource.k8s.io": printer<resource.ResourceSlice>("Name|Node|Driver|Pool|Age", (slice, now) => {
    const { nodeName = "", driver = "", pool } = slice.spec ?? {};
    return [nameOf(slice), nodeName, driver, pool?.name ?? "", ageOf(slice, now)];
  }),
};
