// The objects of a resource that remain in a namespace after the deletion, and how long they may take.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, deleteAllContentForGroupVersionResource.

import type { ObjectMeta } from "#api/meta.ts";

export interface Remains {
  /** 0: unknown; objects may still remain. */
  readonly estimateSeconds: number;
  readonly count: number;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

const FINALIZERS_SECONDS = 15;

/** items: undefined when the resource cannot be listed. */
export function remainsOf(
  items: readonly { readonly metadata: ObjectMeta }[] | undefined,
  graceSeconds: number,
): Remains {
  if (items === undefined) return { estimateSeconds: graceSeconds, count: 0, finalizers: new Map() };
  const finalizers = new Map<string, number>();
  for (const finalizer of items.flatMap(({ metadata }) => metadata.finalizers ?? [])) {
    finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  const count = items.length;
  const finalizersSeconds = finalizers.size > 0 ? FINALIZERS_SECONDS : 0;
  return { estimateSeconds: count === 0 ? 0 : graceSeconds || finalizersSeconds, count, finalizers };
}
