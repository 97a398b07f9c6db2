// Deleting a definition: the first delete marks it and leaves the rest to the clean-up, which removes
// all instances and then the finalizer. One that goes with its collection goes as any object does: upstream's
// collections know only the generic delete.
// Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go, Delete; pkg/controller/finalizer

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newConflict } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import type { DeletionHook } from "../registry.ts";
import { admitDeletion, write } from "../write/delete-object.ts";
import { terminating, withCondition } from "./conditions.ts";

export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export const deleteDefinition: DeletionHook = async (core, call, existing, options, signal) => {
  if (call.info.verb === "deletecollection") return undefined;
  const crd = existing.object as CustomResourceDefinition & KubeObject;
  const { uid = "", resourceVersion = "", deletionTimestamp, finalizers = [] } = crd.metadata ?? {};
  const { preconditions } = options;
  const refuse = (what: string, given: string, actual: string): never => {
    const cause = `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${actual}`;
    throw newConflict(call.endpoint.groupResource, call.name, cause);
  };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) refuse("UID", preconditions.uid, uid);
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    refuse("ResourceVersion", preconditions.resourceVersion, resourceVersion);
  }
  if (deletionTimestamp !== undefined) return undefined;
  await admitDeletion(core, call, crd, options, signal);
  const now = call.context.receivedMs;
  const marked = withMeta(crd, {
    deletionTimestamp: formatTime(now),
    finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
  });
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  const next = withCondition(marked, terminating(false, "InstanceDeletionPending", message), now);
  const written = write(core, call, existing, next as KubeObject, options);
  return written === undefined ? "retry" : { isDeleted: false, object: written.object, status: undefined };
};
