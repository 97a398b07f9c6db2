// The slices of a pool that count: those of its newest generation. A driver deletes older ones later.

import type { ResourceSlice } from "#api/generated/types/resource-v1.ts";
import { compareInt64 } from "#api/int64.ts";

export function newestSlices<T extends ResourceSlice>(pool: readonly T[]): readonly T[] {
  let newest: T[] = [];
  for (const slice of pool) {
    const [known] = newest;
    const order = known === undefined ? 0 : compareInt64(slice.spec.pool.generation, known.spec.pool.generation);
    if (order > 0) newest = [slice];
    else if (order === 0) newest.push(slice);
  }
  return newest;
}
