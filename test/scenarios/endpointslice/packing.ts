// Packing of endpoints into slices of at most three.

import { expect } from "vitest";
import { Pods, Services } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  addressesOf,
  createNode,
  createService,
  createServingPod,
  hasAddresses,
  type StoredSlice,
  untilSlice,
  untilSlices,
} from "#test/stage/services.ts";
import type { Stage, StageWrite } from "#test/stage/stage.ts";

const sizesOf = (slices: readonly StoredSlice[]): string =>
  slices
    .map(({ endpoints }) => (endpoints ?? []).length)
    .toSorted()
    .join();

const sliceWrites = async (stage: Stage): Promise<readonly StageWrite[]> =>
  (await stage.writes()).filter(({ who }) => who === "endpointslice-controller");

const verbs = async (stage: Stage): Promise<string> => (await sliceWrites(stage)).map(({ verb }) => verb).join();

/** Fills slices one endpoint after the other, so that the order is fixed. */
async function addPods(stage: Stage, node: string, ...numbers: readonly number[]): Promise<void> {
  for (const number of numbers) {
    await createServingPod(stage, `pod-${number}`, node, `10.1.0.${number}`);
    await untilSlices(stage, (slices) => addressesOf(...slices).includes(`10.1.0.${number}`));
    await stage.settle();
  }
}

async function removePod(stage: Stage, number: number): Promise<void> {
  await stage.of(Pods).patch(`pod-${number}`, { metadata: { labels: { app: "left" } } });
  await untilSlices(stage, (slices) => !addressesOf(...slices).includes(`10.1.0.${number}`));
  await stage.settle();
}

export const packing: readonly ScenarioText[] = [
  {
    name: "endpointslice/9, endpointslice/config fills slices up to --max-endpoints-per-slice, then makes new ones",
    profile: "small-slices",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await untilSlice(stage);
      await stage.settle();
      await addPods(stage, node, 1, 2, 3, 4);
      expect(sizesOf(await untilSlices(stage, (slices) => slices.length === 2))).toBe("1,3");
      // The slice of the placeholder becomes the first, and the fourth endpoint does not fit.
      await stage.calm(async () => expect(await verbs(stage)).toBe("create,update,update,update,create"));
    },
  },
  {
    name: "endpointslice/9 makes as many slices as it takes at once",
    profile: "small-slices",
    async play(stage) {
      const node = await createNode(stage, "node");
      for (const number of [1, 2, 3, 4, 5, 6, 7]) {
        await createServingPod(stage, `pod-${number}`, node, `10.1.0.${number}`);
      }
      await stage.settle();
      await createService(stage);
      await untilSlices(stage, (slices) => sizesOf(slices) === "1,3,3");
    },
    chance: [{ where: /\bendpoints\.\d/, reason: "Go puts the endpoints into the slices in any order" }],
  },
  {
    name: "endpointslice/9 keeps endpoints where they are, and never rebalances",
    profile: "small-slices",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await untilSlice(stage);
      await stage.settle();
      await addPods(stage, node, 1, 2, 3, 4, 5);
      await untilSlices(stage, (slices) => sizesOf(slices) === "2,3");
      await removePod(stage, 1);
      await removePod(stage, 2);
      // The slices hold 3 | 4, 5: the next endpoint goes into the fullest slice with room.
      await addPods(stage, node, 6);
      const slices = await untilSlices(stage, (all) => all.length === 2);
      expect(slices.map((slice) => addressesOf(slice).join()).toSorted()).toEqual([
        "10.1.0.3",
        "10.1.0.4,10.1.0.5,10.1.0.6",
      ]);
      await removePod(stage, 3);
      await untilSlice(stage, hasAddresses("10.1.0.4", "10.1.0.5", "10.1.0.6"));
    },
  },
  {
    name: "endpointslice/10, endpointslice/11 gives the name of a slice that is not needed to a new one",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createServingPod(stage, "a", node, "10.1.0.1");
      await stage.settle();
      await createService(stage);
      const { metadata } = await untilSlice(stage, hasAddresses("10.1.0.1"));
      await stage.settle();
      await stage.of(Services).patch("web", { spec: { ports: [{ port: 80, targetPort: 8080 }] } });
      const moved = await untilSlice(stage, ({ ports }) => ports?.[0]?.port === 8080);
      expect(moved.metadata.name).toBe(metadata.name);
      await stage.settle();
      await stage.of(Pods).patch("a", { metadata: { labels: { app: "left" } } });
      const empty = await untilSlice(stage, hasAddresses());
      expect(empty.metadata.name).toBe(metadata.name);
      expect(empty.ports ?? []).toEqual([]);
      await stage.settle();
      await stage.calm(async () => expect(await verbs(stage)).toBe("create,update,update"));
    },
  },
  {
    name: "endpointslice/config collects changes of pods for --endpointslice-updates-batch-period",
    profile: "batched",
    async play(stage) {
      const node = await createNode(stage, "node");
      await createService(stage);
      await untilSlice(stage);
      await stage.settle(3000);
      for (const number of [1, 2, 3]) await createServingPod(stage, `pod-${number}`, node, `10.1.0.${number}`);
      await untilSlice(stage, hasAddresses("10.1.0.1", "10.1.0.2", "10.1.0.3"));
      await stage.settle(3000);
      await stage.calm(async () => expect(await verbs(stage)).toBe("create,update"));
    },
  },
];
