// Foreground and orphaning deletions.

import { expect } from "vitest";
import { ConfigMaps } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  BACKGROUND,
  FOREGROUND,
  HOLD,
  heldMap,
  isBeingDeleted,
  letGo,
  map,
  ORPHAN,
  ownedBy,
  ownerNames,
} from "./owner-steps.ts";

const BLOCKS = { blockOwnerDeletion: true };

export const propagation: readonly ScenarioText[] = [
  {
    name: "garbage-collector/6, garbage-collector/21, garbage-collector/22, garbage-collector/tests releases the dependents of an owner that is deleted without them, then lets the owner go",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      const other = await map(stage, "other");
      await map(stage, "first", ownedBy(owner, BLOCKS));
      await map(stage, "second", ownedBy(owner), ownedBy(other));
      await stage.settle();
      stage.always("the owner goes after its dependents are released", async (reader) => {
        const all = await reader.of(ConfigMaps).list();
        return (
          all.some(({ metadata }) => metadata.name === "owner") || !all.some((one) => ownerNames(one).includes("owner"))
        );
      });
      await maps.delete("owner", ORPHAN);
      await maps.untilGone("owner");
      await stage.settle();
      expect(ownerNames(await maps.get("first"))).toEqual([]);
      expect(ownerNames(await maps.get("second"))).toEqual(["other"]);
    },
  },
  {
    name: "garbage-collector/22 removes its own finalizer and no other",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await heldMap(stage, "owner");
      await map(stage, "child", ownedBy(owner));
      await stage.settle();
      await maps.delete("owner", ORPHAN);
      await maps.until("owner", ({ metadata }) => metadata.finalizers?.join() === HOLD);
      await stage.settle();
      expect(ownerNames(await maps.get("child"))).toEqual([]);
      await letGo(stage, "owner");
      await maps.untilGone("owner");
      await maps.get("child");
    },
  },
  {
    name: "garbage-collector/6, garbage-collector/13, garbage-collector/tests keeps an owner until the dependents that block it are gone",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      await heldMap(stage, "blocking", ownedBy(owner, BLOCKS));
      await map(stage, "quick", ownedBy(owner, BLOCKS));
      await stage.settle();
      await maps.delete("owner", FOREGROUND);
      await maps.untilGone("quick");
      await maps.until("blocking", isBeingDeleted);
      await stage.settle();
      expect((await maps.get("owner")).metadata.finalizers).toEqual(["foregroundDeletion"]);
      await letGo(stage, "blocking");
      await maps.untilGone("owner");
      await maps.untilGone("blocking");
    },
  },
  {
    name: "garbage-collector/13 does not keep an owner for dependents that do not block it",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      await heldMap(stage, "child", ownedBy(owner, { blockOwnerDeletion: false }));
      await stage.settle();
      await maps.delete("owner", FOREGROUND);
      await maps.untilGone("owner");
      await maps.until("child", isBeingDeleted);
      await letGo(stage, "child");
      await maps.untilGone("child");
    },
  },
  {
    name: "garbage-collector/5, garbage-collector/13 lets an owner go when its last dependent stops to block it, or is no dependent any more",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      for (const name of ["a", "b"]) {
        const owner = await map(stage, `owner-${name}`);
        await heldMap(stage, `child-${name}`, ownedBy(owner, BLOCKS));
      }
      await stage.settle();
      for (const name of ["a", "b"]) {
        await maps.delete(`owner-${name}`, FOREGROUND);
        await maps.until(`child-${name}`, isBeingDeleted);
      }
      await stage.settle();
      await maps.update("child-a", (child) => ({
        ...child,
        metadata: {
          ...child.metadata,
          ownerReferences: (child.metadata.ownerReferences ?? []).map((one) => ({ ...one, blockOwnerDeletion: false })),
        },
      }));
      await maps.patch("child-b", { metadata: { ownerReferences: null } });
      for (const name of ["a", "b"]) await maps.untilGone(`owner-${name}`);
      for (const name of ["a", "b"]) await letGo(stage, `child-${name}`);
    },
  },
  {
    name: "garbage-collector/16 deletes what blocks an owner and has dependents itself in the foreground, too",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      const child = await map(stage, "child", ownedBy(owner, BLOCKS));
      await heldMap(stage, "grandchild", ownedBy(child, BLOCKS));
      await stage.settle();
      await maps.delete("owner", FOREGROUND);
      await maps.until("grandchild", isBeingDeleted);
      await stage.settle();
      for (const name of ["owner", "child"]) {
        expect((await maps.get(name)).metadata.finalizers).toEqual(["foregroundDeletion"]);
      }
      await letGo(stage, "grandchild");
      for (const name of ["grandchild", "child", "owner"]) await maps.untilGone(name);
    },
  },
  {
    name: "garbage-collector/16, garbage-collector/tests is not blocked by two objects that own each other",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const first = await map(stage, "first");
      const second = await map(stage, "second", ownedBy(first, BLOCKS));
      await maps.patch("first", { metadata: { ownerReferences: [ownedBy(second, BLOCKS)] } });
      await stage.settle();
      await maps.delete("first", FOREGROUND);
      for (const name of ["first", "second"]) await maps.untilGone(name);
    },
  },
  {
    name: "garbage-collector/15, garbage-collector/tests keeps a dependent of an owner that waits for it when another owner stays",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const going = await map(stage, "going");
      const staying = await map(stage, "staying");
      await map(stage, "shared", ownedBy(going, BLOCKS), ownedBy(staying));
      await map(stage, "single", ownedBy(going, BLOCKS));
      stage.always("the shared dependent stays", async (reader) => {
        const { metadata } = await reader.of(ConfigMaps).get("shared");
        return metadata.deletionTimestamp === undefined;
      });
      await stage.settle();
      await maps.delete("going", FOREGROUND);
      await maps.untilGone("single");
      await maps.untilGone("going");
      expect(ownerNames(await maps.get("shared"))).toEqual(["staying"]);
    },
  },
  {
    name: "garbage-collector/7, garbage-collector/13 goes on with an owner that waited while its last dependent is deleted otherwise",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      const child = await map(stage, "child", ownedBy(owner, BLOCKS));
      await heldMap(stage, "grandchild", ownedBy(child, BLOCKS));
      await stage.settle();
      await maps.delete("owner", FOREGROUND);
      await maps.until("child", isBeingDeleted);
      await stage.settle();
      await maps.patch("grandchild", { metadata: { ownerReferences: null } });
      await maps.untilGone("owner");
      await maps.untilGone("child");
      await maps.delete("grandchild", BACKGROUND);
      await letGo(stage, "grandchild");
    },
  },
];
