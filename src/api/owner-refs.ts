// Owner references. Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go

import type { OwnerReference } from "#api/meta.ts";
import type { Kind, KubeObject } from "#api/object.ts";

/** The owner that manages the object, if one does. */
export function getControllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata?.ownerReferences?.find((owner) => owner.controller === true);
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const controller = getControllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata?.uid;
}

/** The reference that makes this owner an object's controller. */
export function newControllerRef(owner: KubeObject, { apiVersion, kind }: Kind): OwnerReference {
  return {
    apiVersion,
    kind,
    name: owner.metadata?.name ?? "",
    uid: owner.metadata?.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
