// The propagation policy of a delete, recorded as a finalizer for the garbage collector.
// Upstream: k8s.io/apiserver/pkg/registry/generic/registry/store.go, deletionFinalizersForGarbageCollection

import type { DeleteOptions } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import type { KindStrategy } from "#kinds/strategy.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

type Propagation = Pick<KindStrategy, "defaultPropagation">;

/** The object with the finalizers that the delete needs; the same object if it has them. */
export function withPropagation(strategy: Propagation, object: KubeObject, options: DeleteOptions): KubeObject {
  return withFinalizer(object, finalizerFor(strategy, object.metadata?.finalizers ?? [], options));
}

/** Sets the wanted one of the two finalizers and removes the other; undefined removes both. */
export function withFinalizer<T extends KubeObject>(object: T, wanted: string | undefined): T {
  const finalizers = object.metadata?.finalizers ?? [];
  const isAsWanted = [ORPHAN, FOREGROUND].every((name) => finalizers.includes(name) === (wanted === name));
  if (isAsWanted) return object;
  const kept = finalizers.filter((name) => name !== ORPHAN && name !== FOREGROUND);
  const next = wanted === undefined ? kept : [...kept, wanted];
  return withMeta(object, { finalizers: next.length === 0 ? undefined : next });
}

/** The request decides first, then a finalizer from an earlier delete, then the kind's default. */
export function finalizerFor(
  { defaultPropagation }: Propagation,
  finalizers: readonly string[],
  options: DeleteOptions,
): string | undefined {
  if (defaultPropagation === "Unsupported") return undefined;
  if (options.orphanDependents !== undefined) return options.orphanDependents ? ORPHAN : undefined;
  switch (options.propagationPolicy) {
    case "Orphan":
      return ORPHAN;
    case "Foreground":
      return FOREGROUND;
    case "Background":
      return undefined;
    case undefined:
      break;
  }
  const earlier = finalizers.find((name) => name === ORPHAN || name === FOREGROUND);
  return earlier ?? (defaultPropagation === "Orphan" ? ORPHAN : undefined);
}
