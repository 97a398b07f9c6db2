// Resource pool status requests are answered once.

import { expect } from "vitest";
import { ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { ResourcePoolStatusRequests } from "#api/generated/resources/resource-v1alpha3.ts";
import type { ResourcePoolStatusRequestSpec } from "#api/generated/types/resource-v1alpha3.ts";
import type { ObjectOf } from "#api/resource.ts";
import { allocate, createClaim } from "#test/stage/devices.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const HOUR_MS = 3_600_000;

interface SliceText {
  readonly pool?: string;
  readonly generation?: number;
  readonly count?: number;
  readonly devices?: number;
  readonly nodeName?: string;
}

/** Publishes a slice of the play's driver. */
async function publish(
  stage: Stage,
  base: string,
  { pool = "pool", generation = 1, count = 1, devices = 2, nodeName }: SliceText = {},
): Promise<string> {
  const name = stage.name(base);
  const spec = {
    driver: stage.name("driver"),
    pool: { name: pool, generation, resourceSliceCount: count },
    devices: Array.from({ length: devices }, (_, i) => ({ name: `gpu-${i}` })),
    ...(nodeName === undefined ? { allNodes: true } : { nodeName }),
  };
  await stage.of(ResourceSlices).create({ metadata: { name }, spec });
  return name;
}

async function ask(stage: Stage, spec: Partial<ResourcePoolStatusRequestSpec> = {}, base = "request"): Promise<string> {
  await stage.settle();
  const name = stage.name(base);
  const driver = stage.name("driver");
  await stage.of(ResourcePoolStatusRequests).create({ metadata: { name }, spec: { driver, ...spec } });
  return name;
}

async function untilAnswered(stage: Stage, name: string): Promise<ObjectOf<typeof ResourcePoolStatusRequests>> {
  return await stage.of(ResourcePoolStatusRequests).until(name, ({ status }) => status !== undefined);
}

async function allocateFrom(stage: Stage, claim: string, pool: string): Promise<void> {
  await createClaim(stage, claim);
  await allocate(stage, claim, { result: { driver: stage.name("driver"), pool }, isProtected: false });
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "resourcepoolstatusrequest-controller",
  { cast: "nodes", profile: "alpha" },
  [
    {
      name: "resourcepoolstatusrequest/2, resourcepoolstatusrequest/6, resourcepoolstatusrequest/watches, resourcepoolstatusrequest/writes counts the devices of a driver's pools",
      async play(stage) {
        await publish(stage, "a", { pool: "pool-a", nodeName: "node-1" });
        await publish(stage, "b", { pool: "pool-b", devices: 3 });
        await allocateFrom(stage, "gpu", "pool-b");
        const { status } = await untilAnswered(stage, await ask(stage));
        const [first, second] = status?.pools ?? [];
        expect(first).toMatchObject({ poolName: "pool-a", nodeName: "node-1", totalDevices: 2, availableDevices: 2 });
        expect(second).toEqual({
          driver: stage.name("driver"),
          poolName: "pool-b",
          generation: 1,
          resourceSliceCount: 1,
          totalDevices: 3,
          allocatedDevices: 1,
          availableDevices: 2,
          unavailableDevices: 0,
        });
        expect(status?.poolCount).toBe(2);
        expect(status?.conditions?.[0]).toMatchObject({
          type: "Complete",
          status: "True",
          reason: "CalculationComplete",
          message: "Calculated status for 2 pools",
        });
      },
    },
    {
      name: "resourcepoolstatusrequest/1 answers once, whatever changes later",
      async play(stage) {
        await publish(stage, "a");
        const name = await ask(stage);
        await untilAnswered(stage, name);
        await stage.settle();
        await publish(stage, "b", { pool: "other" });
        await stage.of(ResourcePoolStatusRequests).patch(name, { metadata: { labels: { seen: "yes" } } });
        await stage.settle();
        expect((await stage.of(ResourcePoolStatusRequests).get(name)).status?.poolCount).toBe(1);
        const next = await untilAnswered(stage, await ask(stage, {}, "next"));
        expect(next.status?.poolCount).toBe(2);
      },
    },
    {
      name: "resourcepoolstatusrequest/2 answers for the pool that is asked for",
      async play(stage) {
        for (const pool of ["a", "b"]) await publish(stage, pool, { pool: `pool-${pool}` });
        const { status } = await untilAnswered(stage, await ask(stage, { poolName: "pool-b" }));
        expect(status?.pools?.map(({ poolName }) => poolName)).toEqual(["pool-b"]);
        expect(status?.poolCount).toBe(1);
      },
    },
    {
      name: "resourcepoolstatusrequest/2 counts the newest slices, and names a node that all share",
      async play(stage) {
        await publish(stage, "old", { devices: 9, nodeName: "node-1" });
        await publish(stage, "a", { generation: 2, count: 2, nodeName: "node-1" });
        await publish(stage, "b", { generation: 2, count: 2, nodeName: "node-2" });
        const { status } = await untilAnswered(stage, await ask(stage));
        expect(status?.pools).toEqual([
          expect.objectContaining({ generation: 2, resourceSliceCount: 2, totalDevices: 4 }),
        ]);
        expect(status?.pools?.[0]).not.toHaveProperty("nodeName");
      },
    },
    {
      name: "resourcepoolstatusrequest/3, resourcepoolstatusrequest/5 does not answer for a pool that lacks slices, and tries again after the next event",
      async play(stage) {
        await publish(stage, "a", { count: 2 });
        const name = await ask(stage);
        await stage.settle();
        expect((await stage.of(ResourcePoolStatusRequests).get(name)).status).toBeUndefined();
        await publish(stage, "b", { count: 2 });
        await stage.settle();
        await stage.calm(async () => {
          expect((await stage.of(ResourcePoolStatusRequests).get(name)).status).toBeUndefined();
        });
        await stage.of(ResourcePoolStatusRequests).patch(name, { metadata: { labels: { again: "yes" } } });
        const { status } = await untilAnswered(stage, name);
        expect(status?.pools?.[0]).toMatchObject({ resourceSliceCount: 2, totalDevices: 4 });
      },
    },
    {
      name: "resourcepoolstatusrequest/4 answers with as many pools as asked for, in the order of their names",
      async play(stage) {
        for (const pool of ["c", "a", "b"]) await publish(stage, pool, { pool: `pool-${pool}` });
        const { status } = await untilAnswered(stage, await ask(stage, { limit: 2 }));
        expect(status?.pools?.map(({ poolName }) => poolName)).toEqual(["pool-a", "pool-b"]);
        expect(status?.poolCount).toBe(3);
        expect(status?.conditions?.[0]?.message).toBe("Calculated status for 2 pools");
      },
    },
    {
      name: "resourcepoolstatusrequest/3 has no devices left where claims have more than are published",
      async play(stage) {
        await publish(stage, "a", { devices: 1 });
        for (const claim of ["x", "y"]) await allocateFrom(stage, claim, "pool");
        const { status } = await untilAnswered(stage, await ask(stage));
        expect(status?.pools?.[0]).toMatchObject({ totalDevices: 1, allocatedDevices: 2, availableDevices: 0 });
      },
    },
    {
      name: "resourcepoolstatusrequest/6, resourcepoolstatusrequest/tests answers for a driver without pools",
      async play(stage) {
        const { status } = await untilAnswered(stage, await ask(stage));
        expect(status?.poolCount).toBe(0);
        expect(status?.pools).toBeUndefined();
        expect(status?.conditions?.[0]?.message).toBe("Calculated status for 0 pools");
      },
    },
    {
      name: "resourcepoolstatusrequest/7 deletes an answered request after an hour",
      virtualOnly: "it takes more than an hour",
      async play(stage) {
        const name = await ask(stage);
        await untilAnswered(stage, name);
        await stage.pass(0.9 * HOUR_MS);
        expect(await stage.of(ResourcePoolStatusRequests).find(name)).toBeDefined();
        await stage.pass(0.3 * HOUR_MS);
        await stage.of(ResourcePoolStatusRequests).untilGone(name);
      },
    },
  ],
);
