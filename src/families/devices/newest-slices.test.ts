import { expect, it } from "vitest";
import type { ResourceSlice } from "#api/generated/types/resource-v1.ts";
import type { Int64 } from "#api/int64.ts";
import { newestSlices } from "./newest-slices.ts";

let reads = 0;

const slice = (generation: Int64): ResourceSlice => ({
  spec: {
    driver: "d",
    pool: {
      name: "p",
      resourceSliceCount: 1,
      get generation() {
        reads++;
        return generation as number;
      },
    },
  },
});

it("resourcepoolstatusrequest/2, device-taint-eviction/1 finds the slices of the newest generation", () => {
  const generations = (of: readonly Int64[]) => newestSlices(of.map(slice)).map(({ spec }) => spec.pool.generation);
  expect(generations([])).toEqual([]);
  expect(generations([2, 1, 2, 3, 1, 3])).toEqual([3, 3]);
  expect<readonly Int64[]>(generations([1, 9_007_199_254_740_993n, 2])).toEqual([9_007_199_254_740_993n]);
});

it("resourcepoolstatusrequest/2, device-taint-eviction/1 looks at each slice of a large pool once", () => {
  const pool = Array.from({ length: 1000 }, () => slice(1));
  reads = 0;
  expect(newestSlices(pool)).toHaveLength(1000);
  expect(reads).toBeLessThan(3000);
});
