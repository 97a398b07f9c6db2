// Storage classes of claims: a claim without a class gets the default class, and a claim can be expanded only if its
// class allows it.
// Upstream: plugin/pkg/admission/storage/storageclass/setdefault; plugin/pkg/admission/storage/persistentvolume/resize

import type { PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { StoredCluster } from "#api/resource.ts";
import { classOfClaim, defaultClass, namesClass } from "#rules/storage-classes.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

const isClaim = ({ resource, subresource }: AdmissionAttributes): boolean =>
  subresource === "" && resource.group === "" && resource.resource === "persistentvolumeclaims";

export function defaultStorageClass(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "DefaultStorageClass",
    handles: (attributes) => isClaim(attributes) && attributes.operation === "CREATE",
    admit(attributes) {
      const claim = attributes.object as PersistentVolumeClaim;
      if (namesClass(claim)) return;
      const storageClassName = defaultClass(classesIn(core()))?.metadata.name;
      if (storageClassName === undefined) return;
      attributes.object = { ...claim, spec: { ...claim.spec, storageClassName } } as KubeObject;
    },
  };
}

export function persistentVolumeClaimResize(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "PersistentVolumeClaimResize",
    handles: (attributes) => isClaim(attributes) && attributes.operation === "UPDATE",
    validate(attributes) {
      const claim = attributes.object as PersistentVolumeClaim;
      const old = attributes.oldObject as PersistentVolumeClaim;
      const sizeOf = ({ spec }: PersistentVolumeClaim) => quantityFromWire(spec?.resources?.requests?.storage);
      if (sizeOf(claim).cmp(sizeOf(old)) <= 0) return;
      if (old.status?.phase !== "Bound") {
        throw admissionForbidden(attributes, "Only bound persistent volume claims can be expanded");
      }
      const className = classOfClaim(claim);
      const storageClass = classesIn(core()).find(({ metadata }) => metadata.name === className);
      if (className === classOfClaim(old) && storageClass?.allowVolumeExpansion === true) return;
      const why =
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
      throw admissionForbidden(attributes, why);
    },
  };
}

function classesIn(core: ServerCore): readonly StoredCluster<StorageClass>[] {
  const row = core.registry.row("storageclasses.storage.k8s.io");
  if (row === undefined) return [];
  return [...core.tableOf(row).scan({ prefix: "" })].map(({ object }) => object as StoredCluster<StorageClass>);
}
