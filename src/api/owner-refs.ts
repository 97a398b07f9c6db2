// Owner references. Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go

import type { OwnerReference } from "#api/meta.ts";
import { apiVersionOf, type KubeObject } from "#api/object.ts";
import type { Resource, StoredObject } from "#api/resource.ts";

/** The owner that manages the object, if one does. */
export function getControllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((owner) => owner.controller === true);
}

export function isControlledBy(object: KubeObject, owner: StoredObject): boolean {
  return getControllerOf(object)?.uid === owner.metadata.uid;
}

/** The reference that makes this owner an object's controller. */
export function newControllerRef<T extends StoredObject>(owner: NoInfer<T>, resource: Resource<T>): OwnerReference {
  const { name, uid } = owner.metadata;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}
