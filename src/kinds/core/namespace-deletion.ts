// Deletion of a namespace: the first delete marks it and sets its phase. It is removed when spec.finalizers is empty.
// Upstream: pkg/registry/core/namespace/storage/storage.go, Delete

import type { Namespace } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { newConflict } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { Deleted, Deletion } from "#kinds/hooks.ts";
import { FOREGROUND, finalizerFor, ORPHAN, withFinalizer } from "#kinds/parts/propagation.ts";

const BACKGROUND = { defaultPropagation: "Background" } as const;

export async function deleteNamespace(
  deletion: Deletion<Namespace>,
  signal: AbortSignal,
): Promise<Deleted | "retry" | undefined> {
  const { existing: namespace, options } = deletion;
  const { uid = "", resourceVersion = "", deletionTimestamp } = namespace.metadata ?? {};
  const { preconditions } = options;
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    const record = `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${uid}`;
    throw newConflict(deletion.groupResource, deletion.name, record);
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const given = `ResourceVersion in precondition: ${preconditions.resourceVersion}`;
    const record = `Precondition failed: ${given}, ResourceVersion in object meta: ${resourceVersion}`;
    throw newConflict(deletion.groupResource, deletion.name, record);
  }
  if (deletionTimestamp !== undefined) {
    // The generic delete removes it once there are no finalizers.
    return isNamespaceHeld(namespace) ? kept(namespace) : undefined;
  }
  // Unlike for other kinds, orphanDependents=false means foreground deletion.
  const finalizer =
    options.orphanDependents === undefined
      ? finalizerFor(BACKGROUND, namespace.metadata?.finalizers ?? [], options)
      : options.orphanDependents
        ? ORPHAN
        : FOREGROUND;
  await deletion.admit(signal);
  const written = deletion.write({
    ...withMeta(withFinalizer(namespace, finalizer), { deletionTimestamp: formatTime(deletion.now) }),
    status: { ...namespace.status, phase: "Terminating" },
  });
  return written === undefined ? "retry" : kept(written);
}

const kept = (object: KubeObject): Deleted => ({ isDeleted: false, object, status: undefined });

/** Upstream: ShouldDeleteNamespaceDuringUpdate */
export const isNamespaceHeld = ({ spec }: Namespace): boolean => (spec?.finalizers?.length ?? 0) > 0;
