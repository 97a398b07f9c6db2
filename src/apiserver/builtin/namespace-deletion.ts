// Deleting a namespace: the first delete marks it and sets its phase; it goes when spec.finalizers is
// empty. Upstream: pkg/registry/core/namespace/storage/storage.go, Delete

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newConflict } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { DeletionHook } from "../registry.ts";
import { admitDeletion, write } from "../write/delete-object.ts";
import { FOREGROUND, finalizerFor, ORPHAN, withFinalizer } from "../write/propagation.ts";

interface NamespaceObject extends KubeObject {
  readonly spec?: { readonly finalizers?: readonly string[] };
  readonly status?: { readonly phase?: string };
}

export const deleteNamespace: DeletionHook = async (core, call, existing, options, signal) => {
  const namespace = existing.object as NamespaceObject;
  const { uid = "", resourceVersion = "", deletionTimestamp } = namespace.metadata ?? {};
  const { preconditions } = options;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const record = `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`;
    throw newConflict(call.endpoint.groupResource, call.name, record);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const given = `ResourceVersion in precondition: ${preconditions.resourceVersion}`;
    const record = `Precondition failed: ${given}, ResourceVersion in object meta: ${resourceVersion}`;
    throw newConflict(call.endpoint.groupResource, call.name, record);
  }
  if (deletionTimestamp !== undefined) {
    // The generic delete ends it once nothing is left to clean up.
    return (namespace.spec?.finalizers?.length ?? 0) === 0 ? undefined : kept(namespace);
  }
  // Unlike elsewhere, not to orphan means to delete in the foreground.
  const finalizer =
    options.orphanDependents === undefined
      ? finalizerFor(call.endpoint.row, namespace.metadata?.finalizers ?? [], options)
      : options.orphanDependents
        ? ORPHAN
        : FOREGROUND;
  await admitDeletion(core, call, namespace, options, signal);
  const marked: NamespaceObject = {
    ...withMeta(withFinalizer(namespace, finalizer), {
      deletionTimestamp: formatTime(call.context.receivedMs),
    }),
    status: { ...namespace.status, phase: "Terminating" },
  };
  const written = write(core, call, existing, marked, options);
  return written === undefined ? "retry" : kept(written.object);
};

const kept = (object: KubeObject): { isDeleted: false; object: KubeObject; status: undefined } => ({
  isDeleted: false,
  object,
  status: undefined,
});

/** Upstream: ShouldDeleteNamespaceDuringUpdate */
export const isNamespaceHeld = (object: KubeObject): boolean =>
  ((object as NamespaceObject).spec?.finalizers?.length ?? 0) > 0;
