// The node IPAM controller assigns pod CIDR ranges to each node. In profiles with few ranges, the assignment depends on
// all nodes, and the scenario plays alone.

import { expect } from "vitest";
import { Events, Nodes } from "#api/generated/resources/core-v1.ts";
import type { NodeSpec } from "#api/generated/types/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { StoredNode } from "#test/stage/nodes.ts";
import { type Excuse, oftenTold, type Scenario, type ScenarioText, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const CURSOR: Excuse = {
  where: /podCIDR/,
  reason: "cidr_set.go, AllocateNext: the cursor is in memory, and goes on with every node of every play",
};

const TRIES = oftenTold(
  "range_allocator.go, AllocateOrOccupyCIDR: each try tells that there is no range, and how many there are is chance",
);

const hasRange = ({ spec }: StoredNode): boolean => (spec?.podCIDR ?? "") !== "";

async function create(stage: Stage, base: string, spec: NodeSpec = {}, more: ObjectMeta = {}): Promise<string> {
  const name = stage.name(base);
  await stage.of(Nodes).create({ metadata: { ...more, name }, spec });
  return name;
}

async function rangesOf(stage: Stage, ...names: readonly string[]): Promise<readonly string[]> {
  const ranges: string[] = [];
  for (const name of names) ranges.push((await stage.of(Nodes).until(name, hasRange)).spec?.podCIDR ?? "");
  return ranges;
}

async function untilRefused(stage: Stage, name: string): Promise<void> {
  await stage.calm(async () => {
    const isAbout = ({
      reason,
      involvedObject,
      message,
    }: {
      reason?: string;
      involvedObject: { name?: string };
      message?: string;
    }): boolean =>
      reason === "CIDRNotAvailable" &&
      involvedObject.name === name &&
      message === `Node ${name} status is now: CIDRNotAvailable`;
    await stage.until(`the Event CIDRNotAvailable of ${name}`, async () =>
      (await stage.of(Events, "default").list()).some(isAbout),
    );
  });
}

const texts: readonly ScenarioText[] = [
  {
    name: "node-ipam/4, node-ipam/writes gives a new node a range by one patch",
    async play(stage) {
      const name = await create(stage, "node");
      const { spec } = await stage.of(Nodes).until(name, hasRange);
      expect(spec?.podCIDR).toMatch(/^10\.244\.\d+\.0\/24$/);
      expect(spec?.podCIDRs).toEqual([spec?.podCIDR]);
      await stage.calm(async () => {
        await stage.settle();
        const own = (await stage.writes()).filter(({ who }) => who === "node-controller");
        expect(own.map(({ verb, resource, name }) => [verb, resource, name])).toEqual([["patch", "nodes", name]]);
        expect(own[0]?.body).toEqual({ spec: { podCIDR: spec?.podCIDR, podCIDRs: spec?.podCIDRs } });
      });
    },
  },
  {
    name: "node-ipam/4, node-ipam/5 gives every node another range",
    async play(stage) {
      const names: string[] = [];
      for (const base of ["a", "b", "c", "d"]) names.push(await create(stage, base));
      expect(new Set(await rangesOf(stage, ...names)).size).toBe(names.length);
    },
  },
  {
    name: "node-ipam/5 does not give the range of a deleted node away at once",
    async play(stage) {
      const first = await create(stage, "first");
      const [released] = await rangesOf(stage, first);
      await stage.settle();
      await stage.of(Nodes).delete(first);
      await stage.settle();
      const [other] = await rangesOf(stage, await create(stage, "second"));
      // A successor starts with the first free range.
      await stage.calm(async () => {
        expect(other).not.toBe(released);
      });
    },
  },
  {
    name: "node-ipam/4 leaves the range of a node alone when the node changes",
    async play(stage) {
      const name = await create(stage, "node");
      const [range] = await rangesOf(stage, name);
      await stage.settle();
      await stage.of(Nodes).patch(name, { metadata: { labels: { changed: "yes" } } });
      await stage.settle();
      expect(await rangesOf(stage, name)).toEqual([range]);
    },
  },
  {
    name: "node-ipam/4, node-ipam/5 gives a range to a node that comes back under its name",
    async play(stage) {
      const name = await create(stage, "node");
      await rangesOf(stage, name);
      await stage.settle();
      await stage.of(Nodes).delete(name);
      await stage.of(Nodes).untilGone(name);
      await stage.settle();
      expect((await rangesOf(stage, await create(stage, "node")))[0]).toMatch(/^10\.244\.\d+\.0\/24$/);
    },
  },
  {
    name: "node-ipam/5, node-ipam/tests gives a node a range of each family, in the order of the flag, with the sizes of the flags",
    profile: "dual-stack-nodes",
    async play(stage) {
      const { spec } = await stage.of(Nodes).until(await create(stage, "node"), hasRange);
      expect(spec?.podCIDRs).toHaveLength(2);
      expect(spec?.podCIDRs?.[0]).toBe(spec?.podCIDR);
      expect(spec?.podCIDRs?.[0]).toMatch(/^10\.244\.\d+\.\d+\/26$/);
      expect(spec?.podCIDRs?.[1]).toMatch(/^fd00:10:244:.*\/64$/);
    },
  },
];

/** Three ranges are free. */
const fewRanges: readonly ScenarioText[] = [
  {
    name: "node-ipam/3, node-ipam/4, node-ipam/6 keeps the range of services and the ranges that nodes came with, and forgets a range with its node",
    async play(stage) {
      const given = "10.244.0.32/28";
      const owner = await create(stage, "owner", { podCIDR: given, podCIDRs: [given] });
      await stage.settle();
      await stage.of(Nodes).patch(owner, { metadata: { labels: { changed: "yes" } } });
      await stage.settle();
      await stage.calm(async () => {
        expect((await stage.writes()).filter(({ who }) => who === "node-controller")).toEqual([]);
      });
      const others = await rangesOf(stage, await create(stage, "a"), await create(stage, "b"));
      expect(others.toSorted()).toEqual(["10.244.0.16/28", "10.244.0.48/28"]);
      await stage.settle();
      await stage.of(Nodes).delete(owner);
      await stage.settle();
      expect(await rangesOf(stage, await create(stage, "heir"))).toEqual([given]);
    },
  },
  {
    name: "node-ipam/4, node-ipam/8, node-ipam/events says when there is no range left, gives one when a node goes, and none to a node that is being deleted",
    async play(stage) {
      const names: string[] = [];
      for (const base of ["a", "b", "c"]) names.push(await create(stage, base));
      const ranges = await rangesOf(stage, ...names);
      await stage.settle();
      const waiting = await create(stage, "waiting");
      await untilRefused(stage, waiting);
      await stage.of(Nodes).delete(names[1] ?? "");
      expect(await rangesOf(stage, waiting)).toEqual([ranges[1]]);
      await stage.settle();
      const ending = await create(stage, "ending", {}, { finalizers: ["example.com/hold"] });
      await untilRefused(stage, ending);
      await stage.of(Nodes).delete(ending);
      await stage.of(Nodes).delete(names[0] ?? "");
      await stage.pass(2000);
      await rangesOf(stage, await create(stage, "next"));
      expect(hasRange(await stage.of(Nodes).get(ending))).toBe(false);
      await stage.of(Nodes).patch(ending, { metadata: { finalizers: null } });
      await stage.of(Nodes).untilGone(ending);
    },
  },
];

/** Deletes the nodes at the end of each play: the next play needs their ranges. */
const played = (text: ScenarioText): ScenarioText => ({
  ...text,
  chance: [CURSOR, TRIES],
  async play(stage) {
    await text.play(stage);
    await stage.settle();
    const isOwn = ({ metadata }: StoredNode): boolean => metadata.name.endsWith(`-${stage.namespace}`);
    const own = (await stage.of(Nodes).list()).filter(isOwn);
    for (const { metadata } of own) await stage.of(Nodes).delete(metadata.name);
  },
});

export const scenarios: readonly Scenario[] = scenariosOf("node-ipam-controller", { cast: "node-ranges" }, [
  ...texts.map(played),
  ...fewRanges.map((text): ScenarioText => ({ ...played(text), profile: "four-ranges", alone: true })),
]);
