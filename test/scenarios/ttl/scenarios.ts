// The ttl controller annotates each Node with the TTL for the cluster's size.

import { expect } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const TTL = "node.alpha.kubernetes.io/ttl";
const nodeWrites = async (stage: Stage): Promise<readonly unknown[]> =>
  (await stage.writes())
    .filter(({ who }) => who === "ttl-controller")
    .map(({ verb, resource, body }) => ({ verb, resource, body }));

export const scenarios: readonly Scenario[] = scenariosOf("ttl-controller", { cast: "nodes" }, [
  {
    name: "ttl/3, ttl/writes annotates a new Node with zero seconds, by one patch of this annotation alone",
    async play(stage) {
      const name = stage.name("node");
      await stage.of(Nodes).create({ metadata: { name, annotations: { mine: "1" } } });
      const { metadata } = await stage
        .of(Nodes)
        .until(name, ({ metadata }) => metadata.annotations?.[TTL] !== undefined);
      expect(metadata.annotations).toMatchObject({ mine: "1", [TTL]: "0" });
      await stage.calm(async () => {
        await stage.settle();
        // Another controller's update of the Node may cause a second, equal patch.
        for (const write of await nodeWrites(stage)) {
          expect(write).toEqual({
            verb: "patch",
            resource: "nodes",
            body: { metadata: { annotations: { [TTL]: "0" } } },
          });
        }
      });
    },
  },
  {
    name: "ttl/2, ttl/3 restores the annotation after a user changes or removes it",
    async play(stage) {
      const name = stage.name("node");
      const nodes = stage.of(Nodes);
      await nodes.create({ metadata: { name } });
      const isZero = ({ metadata }: { metadata: { annotations?: Readonly<Record<string, string>> } }): boolean =>
        metadata.annotations?.[TTL] === "0";
      await nodes.until(name, isZero);
      await stage.settle();
      for (const value of ["15", "soon", null]) {
        await nodes.patch(name, { metadata: { annotations: { [TTL]: value } } });
        await nodes.until(name, isZero);
        await stage.settle();
      }
    },
  },
  {
    name: "ttl/3 leaves an annotation alone whose integer is the wanted one",
    async play(stage) {
      const name = stage.name("node");
      await stage.of(Nodes).create({ metadata: { name, annotations: { [TTL]: "+00" } } });
      await stage.settle();
      const { metadata } = await stage.of(Nodes).get(name);
      expect(metadata.annotations?.[TTL]).toBe("+00");
    },
  },
  {
    name: "ttl/2, ttl/3 writes nothing when a Node with the wanted annotation changes",
    async play(stage) {
      const name = stage.name("node");
      const nodes = stage.of(Nodes);
      await nodes.create({ metadata: { name } });
      await nodes.until(name, ({ metadata }) => metadata.annotations?.[TTL] === "0");
      await stage.settle();
      await nodes.patch(name, { metadata: { labels: { changed: "yes" }, annotations: { mine: "1" } } });
      await stage.settle();
      const { metadata } = await nodes.get(name);
      expect(metadata.annotations).toMatchObject({ mine: "1", [TTL]: "0" });
    },
  },
  {
    name: "ttl/4 does nothing for a Node that is deleted",
    async play(stage) {
      const name = stage.name("node");
      await stage.of(Nodes).create({ metadata: { name } });
      await stage.of(Nodes).until(name, ({ metadata }) => metadata.annotations?.[TTL] === "0");
      await stage.settle();
      await stage.of(Nodes).delete(name);
      await stage.of(Nodes).untilGone(name);
      await stage.settle();
    },
  },
  {
    name: "ttl/2, ttl/4 annotates a Node again that was deleted and comes back under its name",
    async play(stage) {
      const name = stage.name("node");
      const nodes = stage.of(Nodes);
      for (const label of ["first", "second"]) {
        await nodes.create({ metadata: { name, labels: { label } } });
        await nodes.until(name, ({ metadata }) => metadata.annotations?.[TTL] === "0");
        await stage.settle();
        await nodes.delete(name);
        await nodes.untilGone(name);
        await stage.settle();
      }
    },
  },
  {
    name: "ttl/2, ttl/3 a new manager annotates the Nodes that came or changed meanwhile, and patches no other",
    alone: true,
    async play(stage) {
      const nodes = stage.of(Nodes);
      const [kept, changed, added] = [stage.name("kept"), stage.name("changed"), stage.name("added")];
      for (const name of [kept, changed]) await nodes.create({ metadata: { name } });
      await nodes.untilAll((all) => all.every(({ metadata }) => metadata.annotations?.[TTL] === "0"));
      await stage.settle();
      await stage.restart(async () => {
        await nodes.patch(changed, { metadata: { annotations: { [TTL]: "300" } } });
        await nodes.create({ metadata: { name: added } });
      });
      for (const name of [changed, added]) {
        await nodes.until(name, ({ metadata }) => metadata.annotations?.[TTL] === "0");
      }
      await stage.settle();
    },
  },
  {
    name: "ttl/1, ttl/2, ttl/tests gives Nodes fifteen seconds once there are more than a hundred, each with its next event, and zero below ninety",
    alone: true,
    async play(stage) {
      const nodes = stage.of(Nodes);
      const names = Array.from({ length: 101 }, (_, i) => stage.name(`node-${i}`));
      for (const name of names.slice(0, 100)) await nodes.create({ metadata: { name } });
      await nodes.untilAll(
        (all) => all.length >= 100 && all.every(({ metadata }) => metadata.annotations?.[TTL] === "0"),
      );
      await stage.settle();
      const [first = "", second = ""] = names;
      await nodes.create({ metadata: { name: names.at(-1) ?? "" } });
      await nodes.until(names.at(-1) ?? "", ({ metadata }) => metadata.annotations?.[TTL] === "15");
      await nodes.patch(first, { metadata: { labels: { heartbeat: "1" } } });
      await nodes.until(first, ({ metadata }) => metadata.annotations?.[TTL] === "15");
      await stage.settle();
      await stage.calm(async () => {
        expect((await nodes.get(second)).metadata.annotations?.[TTL]).toBe("0");
      });
      // Ninety are left.
      for (const name of names.slice(-11)) await nodes.delete(name);
      await nodes.patch(first, { metadata: { labels: { heartbeat: "2" } } });
      await stage.settle();
      await stage.calm(async () => {
        expect((await nodes.get(first)).metadata.annotations?.[TTL]).toBe("15");
      });
      await nodes.delete(names[89] ?? "");
      await nodes.untilGone(names[89] ?? "");
      await nodes.patch(first, { metadata: { labels: { heartbeat: "3" } } });
      await nodes.until(first, ({ metadata }) => metadata.annotations?.[TTL] === "0");
    },
  },
]);
