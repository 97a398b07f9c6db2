// Custom resources: kinds that are created and deleted, that support no strategic merge patch, and groups that cannot
// be discovered. The garbage collector runs discovery every 30 seconds.

import { expect } from "vitest";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import { define, definitionName, handle } from "#test/stage/custom-resources.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { BACKGROUND, FOREGROUND, map, ORPHAN, ownedByNothing, ownerNames, ownerOf } from "./owner-steps.ts";

const BLOCKS = { blockOwnerDeletion: true };

export const custom: readonly ScenarioText[] = [
  {
    name: "garbage-collector/21, garbage-collector/23, garbage-collector/25 collects, releases and unblocks custom resources by JSON merge patches",
    slow: true,
    async play(stage) {
      const Widgets = await define(stage, "Widget");
      const widgets = stage.of(Widgets);
      const create = (name: string, ...ownerReferences: readonly OwnerReference[]): Promise<StoredObject> =>
        widgets.create({ metadata: { name, ownerReferences } });
      await untilCollected(stage, Widgets);
      const owner = await create("owner");
      const other = await create("other");
      await create("released", ownerOf(Widgets, owner), ownerOf(Widgets, other));
      await create("freed", ownerOf(Widgets, owner));
      await map(stage, "released", ownerOf(Widgets, owner));
      const first = await create("first");
      const second = await create("second", ownerOf(Widgets, first, BLOCKS), ownerOf(Widgets, first));
      await widgets.patch("first", { metadata: { ownerReferences: [ownerOf(Widgets, second, BLOCKS)] } });
      await stage.settle();
      await widgets.delete("owner", ORPHAN);
      await widgets.untilGone("owner");
      await stage.settle();
      expect(ownerNames(await widgets.get("released"))).toEqual(["other"]);
      expect(ownerNames(await widgets.get("freed"))).toEqual([]);
      expect(ownerNames(await stage.of(ConfigMaps).get("released"))).toEqual([]);
      await widgets.delete("other", BACKGROUND);
      await widgets.untilGone("released");
      await stage.settle();
      await widgets.delete("first", FOREGROUND);
      for (const name of ["first", "second"]) await widgets.untilGone(name);
    },
  },
  {
    name: "garbage-collector/20, garbage-collector/25, garbage-collector/26 follows a kind that is defined, removed and defined again",
    slow: true,
    async play(stage) {
      const Widgets = await define(stage, "Widget");
      await untilCollected(stage, Widgets);
      const owner = await stage.of(Widgets).create({ metadata: { name: "owner" } });
      await map(stage, "child", ownerOf(Widgets, owner));
      await stage.settle();
      await stage.of(CustomResourceDefinitions).delete(definitionName(Widgets));
      await stage.of(CustomResourceDefinitions).untilGone(definitionName(Widgets));
      await stage.of(ConfigMaps).untilGone("child");
      await define(stage, "Widget");
      await untilCollected(stage, Widgets);
      const heir = await stage.of(Widgets).create({ metadata: { name: "heir" } });
      await map(stage, "grandchild", ownerOf(Widgets, heir));
      await stage.settle();
      await stage.of(Widgets).delete("heir", FOREGROUND);
      await stage.of(ConfigMaps).untilGone("grandchild");
    },
  },
  {
    name: "garbage-collector/20 deletes a dependent of a kind that nothing served as soon as the kind is defined and has no such object",
    slow: true,
    async play(stage) {
      const Widgets = handle(stage, "Widget");
      const nothing = { ...ownedByNothing(stage), apiVersion: `${Widgets.group}/v1`, kind: "Widget" };
      await map(stage, "child", nothing);
      await stage.pass(2000);
      await stage.of(ConfigMaps).get("child");
      await define(stage, "Widget");
      await stage.of(ConfigMaps).untilGone("child");
    },
  },
  {
    name: "garbage-collector/25 goes on while a group cannot be discovered: with the kinds it knows, and with new ones",
    slow: true,
    alone: true,
    async play(stage) {
      const Widgets = await define(stage, "Widget");
      await untilCollected(stage, Widgets);
      await stage.serve({ groupVersion: `broken.${stage.namespace}.example.com/v1` });
      const Gadgets = await define(stage, "Gadget");
      await untilCollected(stage, Gadgets);
      const owner = await stage.of(Widgets).create({ metadata: { name: "owner" } });
      const child = await stage.of(Gadgets).create({
        metadata: { name: "child", ownerReferences: [ownerOf(Widgets, owner, BLOCKS)] },
      });
      await map(stage, "grandchild", ownerOf(Gadgets, child, BLOCKS));
      await stage.settle();
      await stage.of(Widgets).delete("owner", FOREGROUND);
      await stage.of(ConfigMaps).untilGone("grandchild");
      await stage.of(Gadgets).untilGone("child");
      await stage.of(Widgets).untilGone("owner");
    },
  },
];

/** Waits until the garbage collector watches the kind. */
async function untilCollected(stage: Stage, resource: Resource<StoredObject>): Promise<void> {
  const name = "first-of-its-kind";
  await stage.of(resource).create({ metadata: { name, ownerReferences: [ownedByNothing(stage)] } });
  await stage.of(resource).untilGone(name);
  await stage.settle();
}
