// The volume claims of StatefulSets, and who owns them.

import { expect } from "vitest";
import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { ConfigMaps, PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { becomeReady, createReadySet, createSet, dataClaim, patchSpec, untilPods, untilStatus } from "./objects.ts";

const volumeClaimTemplates = [dataClaim];
const untilOwners = (stage: Stage, name: string, ...kinds: readonly string[]) =>
  stage
    .of(PersistentVolumeClaims)
    .until(name, ({ metadata }) => (metadata.ownerReferences ?? []).map(({ kind }) => kind).join() === kinds.join());

export const claims: readonly ScenarioText[] = [
  {
    name: "statefulset/6, statefulset/14 creates a claim for each pod, and gives it to the next pod of that name",
    async play(stage) {
      await createReadySet(stage, 1, { volumeClaimTemplates });
      const claim = await stage.of(PersistentVolumeClaims).get("data-web-0");
      expect(claim.metadata.labels).toEqual({ app: "web" });
      expect(claim.metadata.ownerReferences).toBeUndefined();
      const pod = await stage.of(Pods).get("web-0");
      expect(pod.spec?.volumes?.[0]).toMatchObject({
        name: "data",
        persistentVolumeClaim: { claimName: "data-web-0" },
      });
      const created = "Create Claim data-web-0 Pod web-0 in StatefulSet web success";
      await stage.event("SuccessfulCreate", ({ message }) => message === created);
      await stage.of(Pods).delete("web-0");
      await stage.of(Pods).until("web-0", ({ metadata }) => metadata.uid !== pod.metadata.uid);
      await untilStatus(stage, { replicas: 1, readyReplicas: 0 });
      expect((await stage.of(PersistentVolumeClaims).get("data-web-0")).metadata.uid).toBe(claim.metadata.uid);
    },
  },
  {
    name: "statefulset/15 makes the set the owner of its claims when they are deleted with it, and again not",
    async play(stage) {
      const policy = { whenDeleted: "Delete", whenScaled: "Retain" };
      const { metadata } = await createReadySet(stage, 1, {
        volumeClaimTemplates,
        persistentVolumeClaimRetentionPolicy: policy,
      });
      const claim = await untilOwners(stage, "data-web-0", "StatefulSet");
      expect(claim.metadata.ownerReferences?.[0]).toMatchObject({ uid: metadata.uid, controller: true });
      await stage.settle();
      await patchSpec(stage, { persistentVolumeClaimRetentionPolicy: { ...policy, whenDeleted: "Retain" } });
      await untilOwners(stage, "data-web-0");
      await untilStatus(stage, { observedGeneration: 2 });
    },
  },
  {
    name: "statefulset/15 makes a pod that is scaled away the owner of its claims when they are deleted with it",
    async play(stage) {
      await createReadySet(stage, 2, {
        volumeClaimTemplates,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
      });
      await patchSpec(stage, { replicas: 1 });
      await stage.of(Pods).untilGone("web-1");
      await stage.calm(async () => {
        const written = (await stage.writes()).find(
          ({ verb, name, resource }) =>
            verb === "update" && resource === "persistentvolumeclaims" && name === "data-web-1",
        );
        expect(written?.body).toMatchObject({
          metadata: { ownerReferences: [{ kind: "Pod", name: "web-1", controller: true }] },
        });
      });
      await untilStatus(stage, { replicas: 1 });
      await untilOwners(stage, "data-web-0");
    },
  },
  {
    name: "statefulset/15 leaves a claim alone that another controller manages, and says so",
    repeatsEvents: "each sync of a pending pod says it, and events of one moment make one sync",
    async play(stage) {
      const { uid } = (await stage.of(ConfigMaps).create({ metadata: { name: "boss" } })).metadata;
      const owner = { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid, controller: true };
      const { spec = {} } = dataClaim;
      await createSet(stage, 0, { volumeClaimTemplates });
      await stage.of(PersistentVolumeClaims).create({
        metadata: { name: "data-web-0", ownerReferences: [owner] },
        spec,
      });
      await stage.settle();
      await patchSpec(stage, {
        replicas: 1,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
      });
      await stage.event("ConflictingController", ({ type }) => type === "Warning");
      await stage.settle();
      expect((await stage.of(PersistentVolumeClaims).get("data-web-0")).metadata.ownerReferences).toHaveLength(1);
    },
  },
  {
    name: "statefulset/14 creates no pod while its claim is being deleted",
    repeatsEvents: "it tries again until the claim is gone",
    async play(stage) {
      const { spec = {} } = dataClaim;
      await stage
        .of(PersistentVolumeClaims)
        .create({ metadata: { name: "data-web-0", finalizers: ["example.com/hold"] }, spec });
      await stage.of(PersistentVolumeClaims).delete("data-web-0");
      await stage.settle();
      await createSet(stage, 1, { volumeClaimTemplates });
      const failed = "Create Pod web-0 in StatefulSet web failed error: pvc data-web-0 is being deleted";
      await stage.event("FailedCreate", ({ message }) => message === failed);
      await stage.pass(3000);
      await stage.of(PersistentVolumeClaims).patch("data-web-0", { metadata: { finalizers: null } });
      await untilPods(stage, "web-0");
      await stage.of(PersistentVolumeClaims).until("data-web-0", ({ metadata }) => !metadata.deletionTimestamp);
      await becomeReady(stage, "web-0");
      await untilStatus(stage, { readyReplicas: 1 });
    },
  },
  {
    name: "statefulset/traps keeps no condition that others write, and does nothing when only a claim changes",
    async play(stage) {
      await createReadySet(stage, 1, { volumeClaimTemplates });
      const conditions = [{ type: "Mine", status: "True" }];
      await stage.of(StatefulSets).patch("web", { status: { conditions } }, { subresource: "status" });
      await stage.settle();
      await stage.of(PersistentVolumeClaims).delete("data-web-0");
      await stage.of(PersistentVolumeClaims).patch("data-web-0", { metadata: { finalizers: null } });
      await stage.of(PersistentVolumeClaims).untilGone("data-web-0");
      await stage.settle();
      await stage.calm(async () => {
        expect(await stage.of(PersistentVolumeClaims).list()).toHaveLength(0);
        expect((await stage.of(StatefulSets).get("web")).status?.conditions).toHaveLength(1);
      });
      await patchSpec(stage, { replicas: 0 });
      const { status } = await untilStatus(stage, { replicas: 0, observedGeneration: 2 });
      expect(status?.conditions).toBeUndefined();
    },
  },
];
