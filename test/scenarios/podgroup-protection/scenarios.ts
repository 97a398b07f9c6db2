// Pod groups stay until their pods have ended.

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import { bind, finishDeletion, podSpec, setPodStatus } from "#test/stage/pods.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";

async function createGroup(stage: Stage, name: string, finalizers: readonly string[] = []): Promise<void> {
  const spec = { schedulingPolicy: { gang: { minCount: 1 } } };
  await stage.of(PodGroups).create({ metadata: { name, finalizers }, spec });
}

async function createMember(stage: Stage, name: string, podGroupName: string): Promise<void> {
  await stage.of(Pods).create({ metadata: { name }, spec: { ...podSpec, schedulingGroup: { podGroupName } } });
}

async function deleteInVain(stage: Stage, name: string): Promise<void> {
  await stage.settle();
  await stage.of(PodGroups).delete(name);
  await stage.settle();
  expect((await stage.of(PodGroups).get(name)).metadata.finalizers).toContain(FINALIZER);
}

export const scenarios: readonly Scenario[] = scenariosOf(
  "podgroup-protection-controller",
  { cast: "workloads", profile: "alpha" },
  [
    {
      name: "podgroup-protection/1, podgroup-protection/4 lets a group go that has no pods",
      async play(stage) {
        await createGroup(stage, "gang");
        await stage.settle();
        await stage.of(PodGroups).delete("gang");
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/1, podgroup-protection/2 leaves a living group alone when its pods end",
      async play(stage) {
        await createGroup(stage, "gang");
        await createMember(stage, "worker", "gang");
        await stage.settle();
        await setPodStatus(stage, "worker", { phase: "Succeeded" });
        await stage.settle();
        expect((await stage.of(PodGroups).get("gang")).metadata.finalizers).toEqual([FINALIZER]);
        await stage.calm(async () => {
          expect((await stage.writes()).filter(({ resource }) => resource === "podgroups")).toEqual([]);
        });
      },
    },
    {
      name: "podgroup-protection/1, podgroup-protection/2 never gives a living group the finalizer",
      async play(stage) {
        await createGroup(stage, "gang");
        await createMember(stage, "worker", "gang");
        await stage.of(PodGroups).patch("gang", { metadata: { finalizers: null } });
        await stage.settle();
        await setPodStatus(stage, "worker", { phase: "Failed" });
        await stage.settle();
        expect((await stage.of(PodGroups).get("gang")).metadata.finalizers).toBeUndefined();
        await stage.of(PodGroups).delete("gang");
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/3, podgroup-protection/4 keeps a group until its last pod succeeds",
      async play(stage) {
        await createGroup(stage, "gang");
        for (const name of ["worker-0", "worker-1"]) await createMember(stage, name, "gang");
        await deleteInVain(stage, "gang");
        await setPodStatus(stage, "worker-0", { phase: "Succeeded" });
        await stage.settle();
        expect(await stage.of(PodGroups).find("gang")).toBeDefined();
        await setPodStatus(stage, "worker-1", { phase: "Succeeded" });
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/3, podgroup-protection/tests keeps a group until its pod fails",
      async play(stage) {
        await createGroup(stage, "gang");
        await createMember(stage, "worker", "gang");
        await setPodStatus(stage, "worker", { phase: "Running" });
        await deleteInVain(stage, "gang");
        await setPodStatus(stage, "worker", { phase: "Failed" });
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/3, podgroup-protection/4 keeps a group until its deleted pod is gone",
      async play(stage) {
        await createGroup(stage, "gang");
        await createMember(stage, "worker", "gang");
        await bind(stage, "worker", "node-1");
        await deleteInVain(stage, "gang");
        await stage.of(Pods).delete("worker");
        await stage.settle();
        expect(await stage.of(PodGroups).find("gang")).toBeDefined();
        await finishDeletion(stage, "worker");
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/3 lets a group go when the pod that held it is deleted before it ran",
      async play(stage) {
        await createGroup(stage, "gang");
        await createMember(stage, "worker", "gang");
        await deleteInVain(stage, "gang");
        await stage.of(Pods).delete("worker");
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/4, podgroup-protection/tests is not held by pods of other groups and of none",
      async play(stage) {
        await createGroup(stage, "gang");
        await createGroup(stage, "other");
        await createMember(stage, "worker", "other");
        await stage.of(Pods).create({ metadata: { name: "single" }, spec: podSpec });
        await stage.settle();
        await stage.of(PodGroups).delete("gang");
        await stage.of(PodGroups).untilGone("gang");
        expect((await stage.of(PodGroups).get("other")).metadata.deletionTimestamp).toBeUndefined();
      },
    },
    {
      name: "podgroup-protection/4 leaves the finalizers of others on a deleted group",
      async play(stage) {
        await createGroup(stage, "gang", ["example.com/mine"]);
        await stage.settle();
        await stage.of(PodGroups).delete("gang");
        await stage.of(PodGroups).until("gang", ({ metadata }) => metadata.finalizers?.length === 1);
        expect((await stage.of(PodGroups).get("gang")).metadata.finalizers).toEqual(["example.com/mine"]);
        await stage.of(PodGroups).patch("gang", { metadata: { finalizers: null } });
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/3 lets a group go whose pod was replaced by one of another group",
      alone: true,
      async play(stage) {
        await createGroup(stage, "gang");
        await createMember(stage, "worker", "gang");
        await deleteInVain(stage, "gang");
        stage.hold(Pods);
        await stage.of(Pods).delete("worker", { gracePeriodSeconds: 0 });
        await createMember(stage, "worker", "other");
        await stage.settle();
        expect(await stage.of(PodGroups).find("gang")).toBeDefined();
        stage.release(Pods);
        await stage.of(PodGroups).untilGone("gang");
      },
    },
    {
      name: "podgroup-protection/traps is not held by pods that the cache does not show yet",
      alone: true,
      async play(stage) {
        await createGroup(stage, "gang");
        await stage.settle();
        stage.hold(Pods);
        await createMember(stage, "worker", "gang");
        await stage.of(PodGroups).delete("gang");
        await stage.calm(() => stage.of(PodGroups).untilGone("gang"));
        stage.release(Pods);
        await stage.settle();
        await setPodStatus(stage, "worker", { phase: "Succeeded" });
        await stage.of(PodGroups).untilGone("gang");
      },
    },
  ],
);
