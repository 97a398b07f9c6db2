// Claims that pods use are not removed.

import { expect } from "vitest";
import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import { bind, finishDeletion, setPodStatus } from "#test/stage/pods.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { claimSpec, claimVolume, createClaim, createPodWith } from "#test/stage/volumes.ts";

const FINALIZER = "kubernetes.io/pvc-protection";
const isProtected = ({ metadata }: { readonly metadata: ObjectMeta }): boolean =>
  metadata.finalizers?.includes(FINALIZER) ?? false;

/** A pod with a running container: only its deletion frees its claims. */
const running = {
  phase: "Running",
  containerStatuses: [
    {
      name: "main",
      image: "example/web:1",
      imageID: "",
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: "2026-01-01T00:00:00Z" } },
    },
  ],
};

/** Allowed differences at the end of a pod on a node without a running container, in the phase. */
const endOfPod = (phase: number) => ({
  where: new RegExp(`phase ${phase} › (pvc-protection-controller: .* › 1|list .*pods)`),
  reason:
    "enqueuePVCs: the last update of the pod and its deletion both queue the claim, which the cache may still show the second time",
});

/** Deletes a claim that must stay, and checks that it stays. */
async function deleteInVain(stage: Stage, name: string): Promise<void> {
  await stage.settle();
  await stage.of(PersistentVolumeClaims).delete(name);
  await stage.settle();
  expect(isProtected(await stage.of(PersistentVolumeClaims).get(name))).toBe(true);
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "persistentvolumeclaim-protection-controller",
  { cast: "storage" },
  [
    {
      name: "persistentvolumeclaim-protection/5 gives the finalizer back to a living claim, behind the others",
      async play(stage) {
        expect(isProtected(await createClaim(stage, "data"))).toBe(true);
        await stage.settle();
        await stage.of(PersistentVolumeClaims).patch("data", { metadata: { finalizers: ["example.com/mine"] } });
        const { metadata } = await stage.of(PersistentVolumeClaims).until("data", isProtected);
        expect(metadata.finalizers).toEqual(["example.com/mine", FINALIZER]);
      },
    },
    {
      name: "persistentvolumeclaim-protection/4 lets a claim go that no pod uses",
      async play(stage) {
        await createClaim(stage, "data");
        await stage.settle();
        await stage.of(PersistentVolumeClaims).delete("data");
        await stage.of(PersistentVolumeClaims).untilGone("data");
      },
    },
    {
      name: "persistentvolumeclaim-protection/2, persistentvolumeclaim-protection/4 keeps a claim until the pod on a node is gone",
      chance: [endOfPod(4)],
      async play(stage) {
        await createClaim(stage, "data");
        await createPodWith(stage, "user", claimVolume("data"));
        await bind(stage, "user", "node-1");
        await deleteInVain(stage, "data");
        await stage.of(Pods).delete("user");
        await stage.settle();
        expect(await stage.of(PersistentVolumeClaims).find("data")).toBeDefined();
        await finishDeletion(stage, "user");
        await stage.of(PersistentVolumeClaims).untilGone("data");
      },
    },
    {
      name: "persistentvolumeclaim-protection/4 keeps a claim for a pod that has finished and still exists",
      chance: [endOfPod(3)],
      async play(stage) {
        await createClaim(stage, "data");
        await createPodWith(stage, "user", claimVolume("data"));
        await bind(stage, "user", "node-1");
        await setPodStatus(stage, "user", { phase: "Succeeded" });
        await deleteInVain(stage, "data");
        await finishDeletion(stage, "user");
        await stage.of(PersistentVolumeClaims).untilGone("data");
      },
    },
    {
      name: "persistentvolumeclaim-protection/1, persistentvolumeclaim-protection/4 does not keep a claim for a pod without a node",
      async play(stage) {
        await createClaim(stage, "data");
        await createPodWith(stage, "waiting", claimVolume("data"));
        await stage.settle();
        await stage.of(PersistentVolumeClaims).delete("data");
        await stage.of(PersistentVolumeClaims).untilGone("data");
      },
    },
    {
      name: "persistentvolumeclaim-protection/4 keeps the claim of an ephemeral volume for the pod that controls it, and no other",
      chance: [endOfPod(3)],
      async play(stage) {
        const claims = stage.of(PersistentVolumeClaims);
        const volumeClaimTemplate = { spec: claimSpec() };
        await createPodWith(stage, "user", { name: "scratch", ephemeral: { volumeClaimTemplate } });
        await claims.until("user-scratch");
        await bind(stage, "user", "node-1");
        await deleteInVain(stage, "user-scratch");
        await finishDeletion(stage, "user");
        await claims.untilGone("user-scratch");
        await claims.create({ metadata: { name: "other-scratch" }, spec: claimSpec() });
        await createPodWith(stage, "other", { name: "scratch", ephemeral: { volumeClaimTemplate } });
        await bind(stage, "other", "node-1");
        await stage.settle();
        const { uid } = (await claims.get("other-scratch")).metadata;
        await claims.delete("other-scratch");
        await stage.until(
          "the end of the claim",
          async () => (await claims.find("other-scratch"))?.metadata.uid !== uid,
        );
      },
    },
    {
      name: "persistentvolumeclaim-protection/3, persistentvolumeclaim-protection/reads-live removes many claims of a namespace together",
      chance: [endOfPod(2)],
      async play(stage) {
        const names = ["data-1", "data-2", "data-3"];
        for (const name of names) await createClaim(stage, name);
        await createPodWith(stage, "user", claimVolume("data-2"));
        await bind(stage, "user", "node-1");
        await stage.settle();
        await stage.of(PersistentVolumeClaims).deleteAll();
        for (const name of ["data-1", "data-3"]) await stage.of(PersistentVolumeClaims).untilGone(name);
        expect(await stage.of(PersistentVolumeClaims).find("data-2")).toBeDefined();
        await finishDeletion(stage, "user");
        await stage.of(PersistentVolumeClaims).untilGone("data-2");
      },
    },
    {
      name: "persistentvolumeclaim-protection/6 tells since when no pod refers to a claim, behind its gate",
      profile: "alpha",
      async play(stage) {
        const claims = stage.of(PersistentVolumeClaims);
        const untilUnused = (wanted: string) =>
          claims.until(
            "data",
            ({ status }) =>
              status?.conditions?.some(({ type, status }) => type === "Unused" && status === wanted) ?? false,
          );
        await createClaim(stage, "data");
        const { status } = await untilUnused("True");
        expect(status?.conditions?.[0]).toMatchObject({
          reason: "NoPodsUsingPVC",
          message: "No pods are currently referencing this PVC",
        });
        await stage.settle();
        await createPodWith(stage, "user", claimVolume("data"));
        await untilUnused("False");
        await stage.settle();
        await setPodStatus(stage, "user", { phase: "Failed" });
        await untilUnused("True");
      },
    },
    {
      name: "persistentvolumeclaim-protection/4, persistentvolumeclaim-protection/reads-live keeps a claim for a pod that the cache does not show yet",
      chance: [
        {
          where: /reads of phase 4/,
          reason: "whether the cache shows the node of the pod when its claim is looked at",
        },
        endOfPod(5),
      ],
      alone: true,
      async play(stage) {
        await createClaim(stage, "data");
        await stage.settle();
        stage.hold(Pods);
        await createPodWith(stage, "user", claimVolume("data"));
        await bind(stage, "user", "node-1");
        await deleteInVain(stage, "data");
        stage.release(Pods);
        await stage.settle();
        expect(isProtected(await stage.of(PersistentVolumeClaims).get("data"))).toBe(true);
        await finishDeletion(stage, "user");
        await stage.of(PersistentVolumeClaims).untilGone("data");
      },
    },
    {
      name: "persistentvolumeclaim-protection/2, persistentvolumeclaim-protection/tests lets a claim go whose pod was replaced by one of another claim",
      chance: [endOfPod(4)],
      alone: true,
      async play(stage) {
        await createClaim(stage, "data");
        await createClaim(stage, "other");
        await createPodWith(stage, "user", claimVolume("data"));
        await bind(stage, "user", "node-1");
        await deleteInVain(stage, "data");
        stage.hold(Pods);
        await finishDeletion(stage, "user");
        await createPodWith(stage, "user", claimVolume("other"));
        await bind(stage, "user", "node-1");
        await stage.settle();
        stage.release(Pods);
        await stage.of(PersistentVolumeClaims).untilGone("data");
        await deleteInVain(stage, "other");
      },
    },
    {
      name: "persistentvolumeclaim-protection/4, persistentvolumeclaim-protection/tests keeps a claim until the last of its pods is gone",
      async play(stage) {
        await createClaim(stage, "data");
        for (const name of ["first", "second"]) {
          await createPodWith(stage, name, { name: "tmp", emptyDir: {} }, claimVolume("data"));
          await bind(stage, name, "node-1");
          await setPodStatus(stage, name, running);
        }
        await deleteInVain(stage, "data");
        await finishDeletion(stage, "first");
        await stage.settle();
        expect(isProtected(await stage.of(PersistentVolumeClaims).get("data"))).toBe(true);
        await finishDeletion(stage, "second");
        await stage.of(PersistentVolumeClaims).untilGone("data");
      },
    },
    {
      name: "persistentvolumeclaim-protection/traps writes the condition, and then the finalizer with the claim as it was before",
      chance: [{ where: /reads of phase 1/, reason: "whether the manager begins before the phase of the play does" }],
      profile: "alpha",
      alone: true,
      async play(stage) {
        await stage.restart(async () => {
          await createClaim(stage, "data");
          await stage.of(PersistentVolumeClaims).patch("data", { metadata: { finalizers: null } });
        });
        const claim = await stage.of(PersistentVolumeClaims).until("data", isProtected);
        expect(claim.status?.conditions).toMatchObject([{ type: "Unused", status: "True" }]);
        await stage.calm(async () => {
          const own = (await stage.writes()).filter(({ who }) => who === "pvc-protection-controller");
          const told = own.map(({ resource, code }) => `${resource} ${code}`);
          expect(told.slice(0, 2)).toEqual(["persistentvolumeclaims/status 200", "persistentvolumeclaims 409"]);
          expect(told).toContain("persistentvolumeclaims 200");
        });
      },
    },
    {
      name: "persistentvolumeclaim-protection/6, persistentvolumeclaim-protection/tests tells of a claim as used until the last pod has ended, and lets it go then",
      profile: "alpha",
      async play(stage) {
        const claims = stage.of(PersistentVolumeClaims);
        const untilUnused = (wanted: string) =>
          claims.until("data", ({ status }) => status?.conditions?.[0]?.status === wanted);
        await createPodWith(stage, "first", claimVolume("data"));
        await createPodWith(stage, "second", claimVolume("data"));
        await stage.settle();
        await createClaim(stage, "data");
        await untilUnused("False");
        await stage.settle();
        await setPodStatus(stage, "first", { phase: "Succeeded" });
        await stage.settle();
        await untilUnused("False");
        await setPodStatus(stage, "second", { phase: "Succeeded" });
        await untilUnused("True");
        await stage.settle();
        await claims.delete("data");
        await claims.untilGone("data");
      },
    },
  ],
);
