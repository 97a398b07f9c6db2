// Pods get claims for their ephemeral volumes.

import { expect } from "vitest";
import { PersistentVolumeClaims, Pods, ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import type { Volume } from "#api/generated/types/core-v1.ts";
import { isControlledBy } from "#api/owner-refs.ts";
import { terminateNamespace } from "#test/stage/namespaces.ts";
import { bind, finishDeletion } from "#test/stage/pods.ts";
import { REFUSALS, RETRIED, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { claimSpec, createPodWith } from "#test/stage/volumes.ts";

const ephemeral = (name: string): Volume => ({
  name,
  ephemeral: {
    volumeClaimTemplate: { metadata: { labels: { kind: name }, annotations: { note: "mine" } }, spec: claimSpec() },
  },
});

export const scenarios: readonly Scenario[] = scenariosOf("ephemeral-volume-controller", { cast: "storage" }, [
  {
    name: "ephemeral-volume/1, ephemeral-volume/3 creates a claim per ephemeral volume, controlled by the pod",
    async play(stage) {
      const pod = await createPodWith(
        stage,
        "user",
        ephemeral("scratch"),
        { name: "tmp", emptyDir: {} },
        ephemeral("cache"),
      );
      const claim = await stage.of(PersistentVolumeClaims).until("user-scratch");
      await stage.of(PersistentVolumeClaims).until("user-cache");
      expect(claim.metadata).toMatchObject({ labels: { kind: "scratch" }, annotations: { note: "mine" } });
      expect(claim.metadata.ownerReferences).toEqual([
        {
          apiVersion: "v1",
          kind: "Pod",
          name: "user",
          uid: pod.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(await stage.of(PersistentVolumeClaims).list()).toHaveLength(2);
    },
  },
  {
    name: "ephemeral-volume/1 creates a claim again that was deleted under its pod",
    async play(stage) {
      await createPodWith(stage, "user", ephemeral("scratch"));
      const { uid } = (await stage.of(PersistentVolumeClaims).until("user-scratch")).metadata;
      await stage.settle();
      await stage.of(PersistentVolumeClaims).delete("user-scratch");
      await stage.of(PersistentVolumeClaims).until("user-scratch", ({ metadata }) => metadata.uid !== uid);
    },
  },
  {
    chance: [RETRIED],
    name: "ephemeral-volume/2, ephemeral-volume/events refuses a claim of that name that is not the pod's, and says so",
    async play(stage) {
      await stage.of(PersistentVolumeClaims).create({ metadata: { name: "user-scratch" }, spec: claimSpec() });
      await stage.settle();
      const pod = await createPodWith(stage, "user", ephemeral("scratch"), ephemeral("later"));
      const { namespace } = stage;
      const why = `PVC ${namespace}/user-scratch was not created for pod ${namespace}/user (pod is not owner)`;
      await stage.event("FailedBinding", ({ message, source }) => {
        return message === `ephemeral volume scratch: ${why}` && source?.component === "ephemeral_volume";
      });
      await stage.settle();
      expect(await stage.of(PersistentVolumeClaims).find("user-later")).toBeUndefined();
      await stage.of(PersistentVolumeClaims).delete("user-scratch");
      const claim = await stage.of(PersistentVolumeClaims).until("user-later");
      expect(isControlledBy(claim, pod)).toBe(true);
    },
  },
  {
    name: "ephemeral-volume/1 creates nothing for pods that are deleted or have no ephemeral volume",
    async play(stage) {
      await createPodWith(stage, "plain", { name: "tmp", emptyDir: {} });
      await createPodWith(stage, "user", ephemeral("scratch"));
      await stage.of(PersistentVolumeClaims).until("user-scratch");
      await bind(stage, "user", "node-1");
      await stage.of(Pods).delete("user");
      await stage.settle();
      await stage.of(PersistentVolumeClaims).patch("user-scratch", { metadata: { finalizers: null } });
      await stage.of(PersistentVolumeClaims).delete("user-scratch");
      await stage.settle();
      await finishDeletion(stage, "user");
      await stage.of(PersistentVolumeClaims).untilGone("user-scratch");
      await stage.settle();
      expect(await stage.of(PersistentVolumeClaims).list()).toEqual([]);
    },
  },
  {
    name: "ephemeral-volume/3, ephemeral-volume/4 says why a claim cannot be created, and creates it once it can",
    async play(stage) {
      const hard = { persistentvolumeclaims: "0" };
      await stage.of(ResourceQuotas).create({ metadata: { name: "none" }, spec: { hard } });
      await stage.of(ResourceQuotas).patch("none", { status: { hard, used: hard } }, { subresource: "status" });
      await stage.settle();
      await createPodWith(stage, "user", ephemeral("scratch"));
      await stage.event("FailedBinding", ({ message }) => message?.includes("exceeded quota: none") ?? false);
      await stage.untilRefused(REFUSALS);
      await stage.settle();
      await stage.of(ResourceQuotas).delete("none");
      await stage.of(PersistentVolumeClaims).until("user-scratch");
    },
  },
  {
    name: "ephemeral-volume/traps leaves the claim of a deleted pod to the garbage collector",
    async play(stage) {
      await createPodWith(stage, "user", ephemeral("scratch"));
      const { uid } = (await stage.of(PersistentVolumeClaims).until("user-scratch")).metadata;
      await bind(stage, "user", "node-1");
      await stage.settle();
      await finishDeletion(stage, "user");
      await stage.settle();
      const { metadata } = await stage.of(PersistentVolumeClaims).get("user-scratch");
      expect(metadata.uid).toBe(uid);
      expect(metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    chance: [RETRIED],
    name: "ephemeral-volume/traps tries again in a namespace that terminates, until the pod is gone",
    async play(stage) {
      await createPodWith(stage, "user", ephemeral("scratch"));
      await stage.of(PersistentVolumeClaims).until("user-scratch");
      await stage.settle();
      await terminateNamespace(stage);
      await stage.of(PersistentVolumeClaims).delete("user-scratch");
      await stage.of(PersistentVolumeClaims).untilGone("user-scratch");
      await stage.untilRefused(REFUSALS);
      await stage.settle();
      await finishDeletion(stage, "user");
      await stage.of(Pods).untilGone("user");
      await stage.settle();
      expect(await stage.of(PersistentVolumeClaims).list()).toEqual([]);
    },
  },
  {
    chance: [RETRIED],
    name: "ephemeral-volume/2, ephemeral-volume/tests refuses the claim of an earlier pod of the same name",
    async play(stage) {
      await createPodWith(stage, "user", ephemeral("scratch"));
      await stage.of(PersistentVolumeClaims).until("user-scratch");
      await stage.settle();
      await finishDeletion(stage, "user");
      const pod = await createPodWith(stage, "user", ephemeral("scratch"));
      await stage.event("FailedBinding", ({ message }) => message?.endsWith("(pod is not owner)") ?? false);
      await stage.settle();
      await stage.of(PersistentVolumeClaims).delete("user-scratch");
      await stage.of(PersistentVolumeClaims).until("user-scratch", (claim) => isControlledBy(claim, pod));
    },
  },
  {
    chance: [RETRIED],
    name: "ephemeral-volume/4, ephemeral-volume/tests fails when the claim exists and the cache does not show it yet",
    alone: true,
    async play(stage) {
      await stage.settle();
      stage.hold(PersistentVolumeClaims);
      await stage.of(PersistentVolumeClaims).create({ metadata: { name: "user-scratch" }, spec: claimSpec() });
      const pod = await createPodWith(stage, "user", ephemeral("scratch"));
      await stage.event("FailedBinding", ({ message }) => message?.endsWith("already exists") ?? false);
      await stage.settle();
      stage.release(PersistentVolumeClaims);
      await stage.event("FailedBinding", ({ message }) => message?.endsWith("(pod is not owner)") ?? false);
      await stage.settle();
      await stage.of(PersistentVolumeClaims).delete("user-scratch");
      await stage.of(PersistentVolumeClaims).until("user-scratch", (claim) => isControlledBy(claim, pod));
    },
  },
  {
    name: "ephemeral-volume/1, ephemeral-volume/tests creates what is missing for pods that came while no manager ran",
    alone: true,
    async play(stage) {
      const pod = await createPodWith(stage, "early", ephemeral("scratch"));
      const { uid } = (await stage.of(PersistentVolumeClaims).until("early-scratch")).metadata;
      await stage.settle();
      await stage.restart(async () => {
        await createPodWith(stage, "late", ephemeral("scratch"), ephemeral("cache"));
      });
      await stage.of(PersistentVolumeClaims).until("late-scratch");
      await stage.of(PersistentVolumeClaims).until("late-cache");
      await stage.settle();
      const claim = await stage.of(PersistentVolumeClaims).get("early-scratch");
      expect(claim.metadata.uid).toBe(uid);
      expect(isControlledBy(claim, pod)).toBe(true);
    },
  },
  {
    chance: [RETRIED],
    name: "ephemeral-volume/1, ephemeral-volume/tests gives up a claim that it could not create when the pod is deleted",
    async play(stage) {
      const hard = { persistentvolumeclaims: "0" };
      await stage.of(ResourceQuotas).create({ metadata: { name: "none" }, spec: { hard } });
      await stage.of(ResourceQuotas).patch("none", { status: { hard, used: hard } }, { subresource: "status" });
      await stage.settle();
      await createPodWith(stage, "user", ephemeral("scratch"));
      await bind(stage, "user", "node-1");
      await stage.untilRefused(REFUSALS);
      await stage.settle();
      await stage.of(Pods).delete("user");
      await stage.of(ResourceQuotas).delete("none");
      await stage.pass(10_000);
      expect(await stage.of(PersistentVolumeClaims).list()).toEqual([]);
    },
  },
]);
