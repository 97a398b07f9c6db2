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
  const allocated = claims.flatMap(({ status }) => status?.allocation?.devices?.results ?? []);
  const all = [...byPool]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, ofPool]) => {
      const count = allocated.filter((device) => device.driver === driver && device.pool === name).length;
      return statusOf(driver, name, ofPool, count);
    });
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

/** Slices of older generations are ignored. A pool that lacks slices has no counts, but a reason. */
function statusOf(driver: string, poolName: string, ofPool: readonly ResourceSlice[], allocated: number): PoolStatus {
  const isNewest = ({ spec }: ResourceSlice): boolean =>
    ofPool.every((other) => other.spec.pool.generation <= spec.pool.generation);
  const slices = ofPool.filter(isNewest);
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
