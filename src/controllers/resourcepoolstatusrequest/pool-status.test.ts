import { describe, expect, it } from "vitest";
import { ResourceClaims, ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { ResourcePoolStatusRequests } from "#api/generated/resources/resource-v1alpha3.ts";
import type { ResourceClaim, ResourceSlice } from "#api/generated/types/resource-v1.ts";
import type { Condition } from "#api/meta.ts";
import { stored } from "#api/testing.ts";
import { knownController } from "#kit/known-controllers.ts";
import { resourcePoolStatusRequestController } from "./controller.ts";
import { isExpired } from "./expiry.ts";
import { poolStatus } from "./pool-status.ts";

const NOW = Date.parse("2026-01-02T00:00:00Z");

interface SliceText {
  readonly pool?: string;
  readonly generation?: number;
  readonly count?: number;
  readonly devices?: number;
  readonly nodeName?: string;
  readonly driver?: string;
}

let names = 0;
function slice({
  pool = "p",
  generation = 1,
  count = 1,
  devices = 1,
  nodeName,
  driver = "d",
}: SliceText): ResourceSlice {
  return stored(ResourceSlices, {
    metadata: { name: `slice-${names++}` },
    spec: {
      driver,
      pool: { name: pool, generation, resourceSliceCount: count },
      devices: Array.from({ length: devices }, (_, i) => ({ name: `gpu-${i}` })),
      ...(nodeName === undefined ? {} : { nodeName }),
    },
  });
}

const claim = (pool: string, driver = "d"): ResourceClaim =>
  stored(ResourceClaims, {
    metadata: { name: `claim-${names++}`, namespace: "default" },
    spec: {},
    status: { allocation: { devices: { results: [{ request: "r", driver, pool, device: "gpu-0" }] } } },
  });

const answer = (slices: readonly ResourceSlice[], claims: readonly ResourceClaim[] = [], spec = {}) =>
  poolStatus({ spec: { driver: "d", ...spec } }, slices, claims, NOW);

describe("resourcepoolstatusrequest/2, resourcepoolstatusrequest/3, resourcepoolstatusrequest/4, resourcepoolstatusrequest/tests", () => {
  it("counts the devices of the newest slices, and those that claims have", () => {
    const slices = [
      slice({ devices: 9 }),
      slice({ generation: 2, count: 2, devices: 2 }),
      slice({ generation: 2, count: 2 }),
    ];
    expect(answer(slices, [claim("p"), claim("p", "other"), claim("other")]).pools).toEqual([
      {
        driver: "d",
        poolName: "p",
        generation: 2,
        resourceSliceCount: 2,
        totalDevices: 3,
        allocatedDevices: 1,
        availableDevices: 2,
        unavailableDevices: 0,
      },
    ]);
  });

  it("never has fewer than no devices", () => {
    expect(answer([slice({})], [claim("p"), claim("p")]).pools?.[0]).toMatchObject({
      allocatedDevices: 2,
      availableDevices: 0,
    });
  });

  it("names the node that all slices share", () => {
    const two = { count: 2, nodeName: "a" };
    expect(answer([slice(two), slice(two)]).pools?.[0]?.nodeName).toBe("a");
    expect(answer([slice(two), slice({ ...two, nodeName: "b" })]).pools?.[0]).not.toHaveProperty("nodeName");
    expect(answer([slice({})]).pools?.[0]).not.toHaveProperty("nodeName");
  });

  it("says that slices are missing, in 256 characters", () => {
    const [pool] = answer([slice({ count: 3, generation: 7 })]).pools ?? [];
    expect(pool).toEqual({
      driver: "d",
      poolName: "p",
      generation: 7,
      validationError: "pool d/p is incomplete: observed 1/3 slices at generation 7",
    });
    const long = answer([slice({ pool: "p".repeat(250), count: 2 })]).pools?.[0]?.validationError;
    expect(long).toHaveLength(256);
  });

  it("looks at each allocated device once, however many pools there are", () => {
    let reads = 0;
    const device = {
      request: "r",
      pool: "pool-7",
      device: "gpu-0",
      get driver() {
        reads++;
        return "d";
      },
    };
    const claims = [
      { spec: {}, status: { allocation: { devices: { results: Array.from({ length: 100 }, () => device) } } } },
    ];
    const slices = Array.from({ length: 100 }, (_, i) => slice({ pool: `pool-${i}` }));
    const pools = answer(slices, claims, { limit: 1000 }).pools ?? [];
    expect(pools.filter(({ allocatedDevices }) => allocatedDevices === 100)).toHaveLength(1);
    expect(reads).toBe(100);
  });

  it("sorts, filters and cuts", () => {
    const slices = ["b", "a", "c"].map((pool) => slice({ pool })).concat(slice({ driver: "other" }));
    expect(answer(slices).pools?.map(({ poolName }) => poolName)).toEqual(["a", "b", "c"]);
    expect(answer(slices, [], { poolName: "b" }).pools?.map(({ poolName }) => poolName)).toEqual(["b"]);
    const cut = answer(slices, [], { limit: 2 });
    expect([cut.poolCount, cut.pools?.length, cut.conditions?.[0]?.message]).toEqual([
      3,
      2,
      "Calculated status for 2 pools",
    ]);
    expect(answer([])).toMatchObject({ poolCount: 0, conditions: [{ reason: "CalculationComplete" }] });
  });
});

describe("resourcepoolstatusrequest/7", () => {
  const request = (ageHours: number, conditions?: readonly Condition[]) =>
    stored(ResourcePoolStatusRequests, {
      metadata: { name: "r", creationTimestamp: at(ageHours) },
      spec: { driver: "d" },
      ...(conditions === undefined ? {} : { status: { poolCount: 0, conditions } }),
    });
  const at = (ageHours: number) => new Date(NOW - ageHours * 3_600_000).toISOString().replace(".000", "");
  const complete = (ageHours: number): Condition => ({
    type: "Complete",
    status: "True",
    reason: "CalculationComplete",
    message: "",
    lastTransitionTime: at(ageHours),
  });

  it("lets answered requests go after an hour, others after a day", () => {
    expect(isExpired(request(24), NOW)).toBe(false);
    expect(isExpired(request(24.1), NOW)).toBe(true);
    expect(isExpired(request(30, [complete(1)]), NOW)).toBe(false);
    expect(isExpired(request(30, [complete(1.1)]), NOW)).toBe(true);
    expect(isExpired(request(0.5, []), NOW)).toBe(false);
    expect(isExpired(request(2, []), NOW)).toBe(true);
  });
});

it("resourcepoolstatusrequest/about, resourcepoolstatusrequest/events, resourcepoolstatusrequest/metrics is behind its gate", () => {
  expect(knownController(resourcePoolStatusRequestController.name)).toMatchObject({
    identity: "resourcepoolstatusrequest-controller",
    aliases: [],
    featureGates: ["DRAResourcePoolStatus"],
  });
});
