// Wrong owner references of users.

import { expect } from "vitest";
import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { BACKGROUND, map, noUid, ownedBy, ownedByNothing, ownerNames } from "./owner-steps.ts";

export const wrongOwners: readonly ScenarioText[] = [
  {
    name: "garbage-collector/3, garbage-collector/events deletes a dependent whose owner lives in another namespace, and tells so",
    async play(stage) {
      const { name: elsewhere } = (await stage.of(Namespaces).create({ metadata: { name: stage.name("elsewhere") } }))
        .metadata;
      const owner = await stage.of(ConfigMaps, elsewhere).create({ metadata: { name: "owner" } });
      await stage.of(ConfigMaps, elsewhere).create({ metadata: { name: "good", ownerReferences: [ownedBy(owner)] } });
      await stage.settle();
      const child = await map(stage, "child", ownedBy(owner));
      await stage.of(ConfigMaps).untilGone("child");
      const claimed = `[v1/ConfigMap, namespace: ${stage.namespace}, name: owner, uid: ${owner.metadata.uid}]`;
      await stage.event(
        "OwnerRefInvalidNamespace",
        ({ type, message, source, involvedObject }) =>
          type === "Warning" &&
          message === `ownerRef ${claimed} does not exist in namespace "${stage.namespace}"` &&
          source?.component === "garbage-collector-controller" &&
          involvedObject.kind === "ConfigMap" &&
          involvedObject.uid === child.metadata.uid,
      );
      await stage.of(ConfigMaps, elsewhere).get("good");
    },
  },
  {
    name: "garbage-collector/19 neither deletes nor asks again about an object of cluster scope with a namespaced owner",
    async play(stage) {
      const owner = await map(stage, "owner");
      const name = stage.name("child");
      const ownerReferences = [ownedBy(owner)];
      await stage.of(ClusterRoles).create({ metadata: { name, ownerReferences }, rules: [] });
      await stage.of(ClusterRoles).create({
        metadata: { name: stage.name("other"), ownerReferences: [ownedByNothing(stage)] },
        rules: [],
      });
      await stage.settle();
      await stage.of(ConfigMaps).delete("owner", BACKGROUND);
      await stage.settle();
      await stage.calm(async () => expect(await stage.writes()).toEqual([]));
      expect(ownerNames(await stage.of(ClusterRoles).get(name))).toEqual(["owner"]);
      await stage.of(ClusterRoles).get(stage.name("other"));
    },
  },
  {
    name: "garbage-collector/20 keeps a dependent with an owner of a kind that nothing serves, whatever its other owners are",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const unknown = { apiVersion: "example.com/v1", kind: "Nowhere", name: "owner", uid: noUid(stage) };
      const oldVersion = { apiVersion: "apps/v1beta1", kind: "Deployment", name: "owner", uid: noUid(stage) };
      await map(stage, "first", unknown, ownedByNothing(stage, "gone", 1));
      await map(stage, "second", oldVersion);
      await map(stage, "third", ownedByNothing(stage, "gone", 2));
      await maps.untilGone("third");
      await stage.settle();
      await stage.calm(async () => {
        expect((await stage.writes()).map(({ verb, name }) => `${verb} ${name}`)).toEqual(["delete third"]);
      });
      await maps.get("first");
      await maps.get("second");
    },
  },
  {
    name: "garbage-collector/3, garbage-collector/4, garbage-collector/9 deletes a dependent that gives a living owner's UID another kind or name, and spares the others",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      const owner = await map(stage, "owner");
      await map(stage, "good", ownedBy(owner));
      await stage.settle();
      await map(stage, "wrong-kind", { ...ownedBy(owner), kind: "Secret" });
      await map(stage, "wrong-name", { ...ownedBy(owner), name: "other" });
      await maps.untilGone("wrong-kind");
      await maps.untilGone("wrong-name");
      await stage.settle();
      expect(ownerNames(await maps.get("good"))).toEqual(["owner"]);
      await maps.delete("owner", BACKGROUND);
      await maps.untilGone("good");
    },
  },
  {
    name: "garbage-collector/8, garbage-collector/10, garbage-collector/11 deletes all dependents of an owner that never was, whatever coordinates each gives it",
    async play(stage) {
      const maps = stage.of(ConfigMaps);
      await map(stage, "a", { ...ownedByNothing(stage, "x"), kind: "Secret" });
      await map(stage, "b", ownedByNothing(stage, "y"));
      await map(stage, "c", { apiVersion: "apps/v1", kind: "Deployment", name: "z", uid: noUid(stage) });
      await map(stage, "d", ownedByNothing(stage, "y"));
      for (const name of ["a", "b", "c", "d"]) await maps.untilGone(name);
    },
  },
];
