// New volumes, claims and attribute classes get the finalizer of their protection controller.
// Upstream: plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go

import type { KubeObject } from "#api/object.ts";
import type { AdmissionPlugin } from "../admission.ts";

const finalizers: Readonly<Record<string, string>> = {
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

export function storageObjectInUseProtection(): AdmissionPlugin {
  const finalizerOf = (resource: { readonly group: string; readonly resource: string }): string | undefined =>
    finalizers[`${resource.group}/${resource.resource}`];
  return {
    name: "StorageObjectInUseProtection",
    handles: ({ resource, subresource, operation }) =>
      subresource === "" && operation === "CREATE" && finalizerOf(resource) !== undefined,
    admit(attributes) {
      const object = attributes.object as KubeObject;
      const finalizer = finalizerOf(attributes.resource);
      const known = object.metadata?.finalizers ?? [];
      if (finalizer === undefined || known.includes(finalizer)) return;
      attributes.object = { ...object, metadata: { ...object.metadata, finalizers: [...known, finalizer] } };
    },
  };
}
