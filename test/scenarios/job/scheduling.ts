// WorkloadWithJob: a Workload and a PodGroup for Jobs whose pods are scheduled together.

import { expect } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodGroups, Workloads } from "#api/generated/resources/scheduling-v1alpha2.ts";
import { ownerUid } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import { createJob, untilActive, untilIndexes } from "./objects.ts";

export const scheduling: readonly ScenarioText[] = [
  {
    name: "job/22 gives a new Job that needs all of its pods at once a Workload and a PodGroup",
    profile: "alpha",
    async play(stage) {
      const { metadata } = await createJob(stage, { completionMode: "Indexed", completions: 2, parallelism: 2 });
      const [workload] = await stage.of(Workloads).untilAll((all) => all.length === 1);
      expect(workload?.spec).toMatchObject({
        controllerRef: { apiGroup: "batch", kind: "Job", name: "sum" },
        podGroupTemplates: [{ name: "sum-pgt-0", schedulingPolicy: { gang: { minCount: 2 } } }],
      });
      const [group] = await stage.of(PodGroups).untilAll((all) => all.length === 1);
      const name = group?.metadata.name ?? "";
      stage.call(name, "group"); // first, because the other name is a part of it
      stage.call(workload?.metadata.name ?? "", "workload");
      expect(group?.metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(["Job", "Workload"]);
      const pods = await untilIndexes(stage, 0, 1);
      for (const pod of pods) {
        expect(pod.spec?.schedulingGroup?.podGroupName).toBe(name);
        expect(ownerUid(pod)).toBe(metadata.uid);
      }
      await stage.event("WorkloadCreated", ({ message }) => message?.startsWith("Created Workload sum-") ?? false);
    },
  },
  {
    name: "job/22 schedules the pods of any other Job as usual",
    profile: "alpha",
    async play(stage) {
      await createJob(stage, { completions: 2, parallelism: 2 });
      await untilActive(stage, 2);
      await stage.calm(async () => {
        expect(await stage.of(Workloads).list()).toEqual([]);
        for (const pod of await stage.of(Pods).list()) expect(pod.spec?.schedulingGroup).toBeUndefined();
      });
    },
  },
  {
    name: "job/22, job/tests leaves a Workload alone that names the Job and is not the Job's",
    profile: "alpha",
    async play(stage) {
      await stage.of(Workloads).create({
        metadata: { name: "own" },
        spec: {
          controllerRef: { apiGroup: "batch", kind: "Job", name: "sum" },
          podGroupTemplates: [{ name: "all", schedulingPolicy: { gang: { minCount: 2 } } }],
        },
      });
      await stage.settle();
      await createJob(stage, { completionMode: "Indexed", completions: 2, parallelism: 2 });
      for (const pod of await untilIndexes(stage, 0, 1)) expect(pod.spec?.schedulingGroup).toBeUndefined();
      await untilActive(stage, 2);
      await stage.calm(async () => {
        expect(await stage.of(PodGroups).list()).toEqual([]);
        expect((await stage.of(Workloads).list()).map(({ metadata }) => metadata.name)).toEqual(["own"]);
      });
    },
  },
];
