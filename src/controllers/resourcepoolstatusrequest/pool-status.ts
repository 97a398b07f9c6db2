// The status of a request for resource pools: the pools of a driver, with their devices.
// Upstream: pkg/controller/resourcepoolstatusrequest/controller.go, calculatePoolStatus.

import type { ResourceClaim, ResourceSlice } from "#api/generated/types/resource-v1.ts";
import type {
  PoolStatus,
  ResourcePoolStatusRequest,
  ResourcePoolStatusRequestStatus,
} from "#api/generated/types/resource-v1alpha3.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { newestSlices } from "#families/devices/newest-slices.ts";
import { compareText } from "#kit/order.ts";

const LIMIT = 100;
const VALIDATION_ERROR_MAX = 256;

export function poolStatus(
  { spec: { driver, poolName, limit = LIMIT } }: Pick<ResourcePoolStatusRequest, "spec">,
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[],
  now: EpochMs,
): ResourcePoolStatusRequestStatus {
  const asked = slices.filter(
    ({ spec }) => spec.driver === driver && ((poolName ?? "") === "" || spec.pool.name === poolName),
  );
  const byPool = Map.groupBy(asked, ({ spec }) => spec.pool.name);
  const allocated = allocatedByPool(driver, claims);
  const all = [...byPool]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, ofPool]) => statusOf(driver, name, ofPool, allocated.get(name) ?? 0));
  const pools = all.slice(0, limit);
  // Deviation: reading a cache cannot fail, so there is no condition Failed.
  const condition = {
    type: "Complete",
    status: "True",
    lastTransitionTime: formatTime(now),
    reason: "CalculationComplete",
    message: `Calculated status for ${pools.length} pools`,
  };
  return { poolCount: all.length, ...(pools.length === 0 ? {} : { pools }), conditions: [condition] };
}

/** The number of allocated devices in each pool of the driver. */
function allocatedByPool(wanted: string, claims: readonly ResourceClaim[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of claims) {
    for (const { driver, pool } of status?.allocation?.devices?.results ?? []) {
      if (driver === wanted) counts.set(pool, (counts.get(pool) ?? 0) + 1);
    }
  }
  return counts;
}

/** Slices of older generations are ignored. A pool that lacks slices has no counts, but a reason. */
function statusOf(driver: string, poolName: string, ofPool: readonly ResourceSlice[], allocated: number): PoolStatus {
  const slices = newestSlices(ofPool);
  const { generation = 0, resourceSliceCount: wanted = 0 } = slices[0]?.spec.pool ?? {};
  const nodes = new Set(slices.map(({ spec }) => spec.nodeName ?? ""));
  const [nodeName = ""] = nodes;
  const pool = { driver, poolName, generation, ...(nodes.size === 1 && nodeName !== "" ? { nodeName } : {}) };
  if (slices.length < wanted) {
    const why = `pool ${driver}/${poolName} is incomplete: observed ${slices.length}/${wanted} slices at generation ${generation}`;
    return { ...pool, validationError: why.slice(0, VALIDATION_ERROR_MAX) };
  }
  const total = slices.reduce((sum, { spec }) => sum + (spec.devices ?? []).length, 0);
  return {
    ...pool,
    resourceSliceCount: slices.length,
    totalDevices: total,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, total - allocated),
    unavailableDevices: 0,
  };
}
