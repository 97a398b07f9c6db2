// Deletion of dependents after their owner is gone or if it never existed, and objects that stay.

import { expect } from "vitest";
import { ConfigMaps, Events, Pods, Secrets } from "#api/generated/resources/core-v1.ts";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  BACKGROUND,
  heldMap,
  isBeingDeleted,
  letGo,
  map,
  noUid,
  ORPHAN,
  ownedBy,
  ownedByNothing,
  ownerNames,
  ownerOf,
} from "./owner-steps.ts";

export const deletion: readonly ScenarioText[] = [
  {
    name: "garbage-collector/7, garbage-collector/14, garbage-collector/17, garbage-collector/tests deletes what an owner leaves behind, down to the last dependent, and nothing else",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      const child = await map(stage, "child", ownedBy(owner));
      const grandchild = await map(stage, "grandchild", ownedBy(child));
      await stage.of(Secrets).create({ metadata: { name: "leaf", ownerReferences: [ownedBy(grandchild)] } });
      const other = await map(stage, "other");
      await map(stage, "others-child", ownedBy(other));
      stage.always("the other owner's dependent stays", async (reader) =>
        (await reader.of(ConfigMaps).list()).some(({ metadata }) => metadata.name === "others-child"),
      );
      await stage.settle();
      await maps.delete("owner", BACKGROUND);
      for (const name of ["child", "grandchild"]) await maps.untilGone(name);
      await stage.of(Secrets).untilGone("leaf");
      await stage.calm(async () => {
        const deletes = (await stage.writes()).map(({ verb, name, code }) => `${verb} ${name} ${code}`);
        expect(deletes).toEqual(["delete child 200", "delete grandchild 200", "delete leaf 200"]);
      });
    },
  },
  {
    name: "garbage-collector/2, garbage-collector/12, garbage-collector/18, garbage-collector/writes deletes a dependent whose owner never was, in the state it was read in",
    async play(stage) {
      const { metadata } = await map(stage, "child", ownedByNothing(stage));
      await stage.of(ConfigMaps).untilGone("child");
      await stage.calm(async () => {
        const writes = await stage.writes();
        expect(writes.map(({ who, verb, name, body }) => ({ who, verb, name, body }))).toEqual([
          {
            who: "generic-garbage-collector",
            verb: "delete",
            name: "child",
            body: expect.objectContaining({
              preconditions: { uid: metadata.uid, resourceVersion: metadata.resourceVersion },
              propagationPolicy: "Background",
            }),
          },
        ]);
      });
    },
  },
  {
    name: "garbage-collector/14 takes an owner of the same name and another UID for another object",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      await map(stage, "stale", { ...ownedBy(owner), uid: noUid(stage) });
      await map(stage, "fresh", ownedBy(owner));
      await maps.untilGone("stale");
      await stage.settle();
      expect((await maps.list("")).map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(["fresh", "owner"]),
      );
    },
  },
  {
    name: "garbage-collector/5, garbage-collector/14 goes by the references that an object has now: one that was removed does not count, one that was added does",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      const heir = await map(stage, "heir");
      await map(stage, "released", ownedBy(owner));
      await map(stage, "inherited", ownedBy(owner));
      await map(stage, "free");
      await stage.settle();
      await maps.patch("released", { metadata: { ownerReferences: null } });
      await maps.patch("inherited", { metadata: { ownerReferences: [ownedBy(heir)] } });
      await maps.delete("owner", BACKGROUND);
      await maps.patch("free", { metadata: { ownerReferences: [ownedByNothing(stage)] } });
      await maps.untilGone("free");
      await stage.settle();
      expect(ownerNames(await maps.get("released"))).toEqual([]);
      expect(ownerNames(await maps.get("inherited"))).toEqual(["heir"]);
      await maps.delete("heir", BACKGROUND);
      await maps.untilGone("inherited");
      await maps.get("released");
    },
  },
  {
    name: "garbage-collector/15 with one owner left removes exactly the references to those that are gone",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const first = await map(stage, "first");
      const second = await map(stage, "second");
      const { metadata } = await map(stage, "child", ownedBy(first), ownedByNothing(stage), ownedBy(second));
      await map(stage, "untouched", ownedBy(second));
      await maps.until("child", (child) => ownerNames(child).join() === "first,second");
      await stage.settle();
      await maps.delete("first", BACKGROUND);
      await maps.until("child", (child) => ownerNames(child).join() === "second");
      await stage.settle();
      await stage.calm(async () => {
        const { uid } = metadata;
        const drop = (owner: string) => ({
          verb: "patch",
          name: "child",
          body: { metadata: { uid, ownerReferences: [{ $patch: "delete", uid: owner }] } },
        });
        const writes = (await stage.writes()).map(({ verb, name, body }) => ({ verb, name, body }));
        expect(writes).toEqual([drop(noUid(stage)), drop(first.metadata.uid)]);
      });
      expect((await maps.get("child")).metadata.uid).toBe(metadata.uid);
    },
  },
  {
    name: "garbage-collector/12 leaves an object alone that is being deleted already",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      await heldMap(stage, "child", ownedBy(owner));
      await maps.delete("child", BACKGROUND);
      await stage.settle();
      await maps.delete("owner", BACKGROUND);
      await stage.settle();
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      await letGo(stage, "child");
      await maps.untilGone("child");
    },
  },
  {
    name: "garbage-collector/17 honours the finalizers of a dependent: its own dependents are released, or go before it",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      const ownerReferences = [ownedBy(owner)];
      const orphaning = await maps.create({ metadata: { name: "orphaning", ownerReferences, finalizers: ["orphan"] } });
      const waiting = await maps.create({
        metadata: { name: "waiting", ownerReferences, finalizers: ["foregroundDeletion"] },
      });
      await map(stage, "kept", ownedBy(orphaning));
      await heldMap(stage, "blocking", ownedBy(waiting, { blockOwnerDeletion: true }));
      await stage.settle();
      await maps.delete("owner", BACKGROUND);
      await maps.untilGone("orphaning");
      await maps.until("blocking", isBeingDeleted);
      await stage.settle();
      expect(ownerNames(await maps.get("kept"))).toEqual([]);
      expect(isBeingDeleted(await maps.get("waiting"))).toBe(true);
      await letGo(stage, "blocking");
      await maps.untilGone("waiting");
      await stage.calm(async () => {
        const policies = (await stage.writes())
          .filter(({ verb }) => verb === "delete")
          .map(({ name, body }) => `${name} ${(body as { propagationPolicy: string }).propagationPolicy}`);
        expect([...new Set(policies)].toSorted()).toEqual([
          "blocking Background",
          "orphaning Orphan",
          "waiting Foreground",
        ]);
      });
    },
  },
  {
    name: "garbage-collector/4, garbage-collector/14 looks for an owner of cluster scope outside of the dependent's namespace",
    async play(stage) {
      const roles = stage.of(ClusterRoles);
      const name = stage.name("owner");
      const role = await roles.create({ metadata: { name }, rules: [] });
      const ownerReferences = [ownerOf(ClusterRoles, role)];
      await stage.of(ConfigMaps).create({ metadata: { name: "child", ownerReferences } });
      await roles.create({ metadata: { name: stage.name("child"), ownerReferences }, rules: [] });
      await stage.settle();
      expect(ownerNames(await stage.of(ConfigMaps).get("child"))).toEqual([name]);
      await roles.delete(name, BACKGROUND);
      await stage.of(ConfigMaps).untilGone("child");
      await roles.untilGone(stage.name("child"));
    },
  },
  {
    name: "garbage-collector/config does not collect Events",
    async play(stage) {
      const { namespace } = stage;
      const involvedObject = { kind: "ConfigMap", namespace, name: "nothing" };
      const ownerReferences = [ownedByNothing(stage)];
      await stage.of(Events).create({
        metadata: { name: "kept", ownerReferences },
        involvedObject,
        reason: "Test",
        message: "",
        type: "Normal",
      });
      await map(stage, "collected", ownedByNothing(stage));
      await stage.of(ConfigMaps).untilGone("collected");
      await stage.settle();
      await stage.of(Events).get("kept");
    },
  },
  {
    name: "garbage-collector/tests deletes the pods of a template's owner with it, and keeps them when they are to be orphaned",
    async play(stage) {
      const spec = { containers: [{ name: "main", image: "image" }] };
      for (const name of ["dropped", "kept"]) {
        const owner = await map(stage, name);
        const ownerReferences = [ownedBy(owner, { controller: true, blockOwnerDeletion: true })];
        for (const index of [0, 1, 2]) {
          await stage.of(Pods).create({ metadata: { name: `${name}-${index}`, ownerReferences }, spec });
        }
      }
      await stage.settle();
      await stage.of(ConfigMaps).delete("dropped", BACKGROUND);
      await stage.of(ConfigMaps).delete("kept", ORPHAN);
      const pods = await stage
        .of(Pods)
        .untilAll((all) => all.length === 3 && all.every((pod) => ownerNames(pod).length === 0));
      expect(pods.map(({ metadata }) => metadata.name)).toEqual(["kept-0", "kept-1", "kept-2"]);
      await stage.of(ConfigMaps).untilGone("kept");
    },
  },
];
