// Deletion of a definition: the first delete only marks it. The clean-up then removes all instances and the finalizer.
// A delete of the collection is generic, because upstream has no special collection delete.
// Upstream: apiextensions-apiserver/pkg/registry/customresourcedefinition/etcd.go, Delete; pkg/controller/finalizer

import { withMeta } from "#api/object-meta.ts";
import { newConflict } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import type { Deleted, Deletion } from "#kinds/hooks.ts";
import { terminating, withCondition } from "./definition-conditions.ts";

export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

export async function deleteDefinition(
  deletion: Deletion<CustomResourceDefinition>,
  signal: AbortSignal,
): Promise<Deleted | "retry" | undefined> {
  const { existing: crd, options, groupResource, name, now } = deletion;
  if (deletion.verb === "deletecollection") return undefined;
  const { uid = "", resourceVersion = "", deletionTimestamp, finalizers = [] } = crd.metadata ?? {};
  const { preconditions } = options;
  const refuse = (what: string, given: string, actual: string): never => {
    const cause = `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${actual}`;
    throw newConflict(groupResource, name, cause);
  };
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) refuse("UID", preconditions.uid, uid);
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    refuse("ResourceVersion", preconditions.resourceVersion, resourceVersion);
  }
  if (deletionTimestamp !== undefined) return undefined;
  await deletion.admit(signal);
  const marked = withMeta(crd, {
    deletionTimestamp: formatTime(now),
    finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
  });
  const message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon";
  const next = withCondition(marked, terminating(false, "InstanceDeletionPending", message), now);
  const written = deletion.write(next);
  return written === undefined ? "retry" : { isDeleted: false, object: written, status: undefined };
}
