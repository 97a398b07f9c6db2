// What remains of a resource in a namespace after its objects were deleted, and how long that may take.
// Upstream: pkg/controller/namespace/deletion/namespaced_resources_deleter.go, deleteAllContentForGroupVersionResource.

import type { ObjectMeta } from "#api/meta.ts";

export interface Remains {
  /** 0: nothing is known, not even that nothing remains. */
  readonly estimateSeconds: number;
  readonly count: number;
  /** How many objects each finalizer holds. */
  readonly finalizers: ReadonlyMap<string, number>;
}

const FINALIZERS_SECONDS = 15;

/** items: undefined when they cannot be listed. */
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
