// Running a Job's pods: their number, deletions, and the completion of the Job.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { bind, makeReady, ownerUid } from "#test/stage/pods.ts";
import { AWAY_MS, type ScenarioText } from "#test/stage/scenario.ts";
import {
  createJob,
  exits,
  FINALIZER,
  hasFinalizer,
  patchSpec,
  template,
  untilActive,
  untilCondition,
  untilEnd,
  untilStatus,
} from "./objects.ts";

export const running: readonly ScenarioText[] = [
  {
    name: "job/1, job/7, job/9, job/20 runs a pod, counts its success and is complete",
    async play(stage) {
      const { metadata } = await createJob(stage);
      const [pod] = await untilActive(stage, 1);
      expect(pod?.metadata.finalizers).toEqual([FINALIZER]);
      expect(pod && ownerUid(pod)).toBe(metadata.uid);
      expect((await stage.of(Jobs).get("sum")).status?.startTime).toBeDefined();
      await exits(stage, pod);
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect([status?.succeeded, status?.failed ?? 0, status?.ready, status?.terminating]).toEqual([1, 0, 0, 0]);
      expect(status?.completionTime).toBeDefined();
      expect(status?.conditions?.[1]?.message).toBe("Reached expected number of succeeded pods");
      await stage.event("Completed", ({ message }) => message === "Job completed");
      await stage.calm(async () => {
        const verbs = (await stage.writes()).map(({ verb, resource }) => `${verb} ${resource}`);
        const counted = verbs.indexOf("patch pods");
        expect([verbs[counted - 1], verbs[counted + 1]]).toEqual(["update jobs/status", "update jobs/status"]);
      });
    },
  },
  {
    name: "job/13, job/20 keeps no more pods active than its parallelism and its missing completions want",
    async play(stage) {
      stage.always("at most two pods are active", async (reader) => {
        const active = (await reader.of(Pods).list()).filter(({ status }) => status?.phase === "Pending");
        return active.length <= 2;
      });
      await createJob(stage, { parallelism: 2, completions: 3 });
      const [first, second] = await untilActive(stage, 2);
      await exits(stage, first);
      await untilStatus(stage, { succeeded: 1 });
      const [, third] = await untilActive(stage, 2);
      await exits(stage, second);
      await exits(stage, third);
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect(status?.succeeded).toBe(3);
      expect(await stage.of(Pods).list()).toHaveLength(3);
    },
  },
  {
    name: "job/13 starts no pod after a first success where it has no number of completions, and waits for the rest",
    async play(stage) {
      await createJob(stage, { parallelism: 2 });
      const [first, second] = await untilActive(stage, 2);
      await exits(stage, first);
      await untilStatus(stage, { succeeded: 1, active: 1 });
      await stage.settle();
      await exits(stage, second, { code: 1 });
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect([status?.succeeded, status?.failed]).toEqual([1, 1]);
    },
  },
  {
    name: "job/11, job/13, workloads/S18 deletes the pods whose loss costs least, and does not count them",
    async play(stage) {
      await createJob(stage, { parallelism: 3, completions: 5 });
      const [first, second, third] = await untilActive(stage, 3);
      for (const pod of [first, third]) await bind(stage, pod?.metadata.name ?? "", "node-a");
      await makeReady(stage, first?.metadata.name ?? "");
      await untilStatus(stage, { ready: 1 });
      await stage.settle();
      await patchSpec(stage, { parallelism: 2 });
      await stage.of(Pods).untilGone(second?.metadata.name ?? "");
      await untilStatus(stage, { active: 2, terminating: 0 });
      await stage.settle();
      await patchSpec(stage, { parallelism: 0 });
      await untilStatus(stage, { active: 0, terminating: 2, ready: 0 });
      expect((await stage.of(Pods).list()).some(hasFinalizer)).toBe(false);
      expect((await stage.of(Jobs).get("sum")).status?.failed ?? 0).toBe(0);
    },
  },
  {
    name: "job/12 suspends: pods go, the start time is cleared; resumes with a new start time",
    async play(stage) {
      await createJob(stage, { parallelism: 2, completions: 2 });
      await untilActive(stage, 2);
      await patchSpec(stage, { suspend: true });
      const { status } = await untilCondition(stage, "Suspended");
      expect(status?.startTime).toBeUndefined();
      await stage.of(Pods).untilAll((pods) => pods.length === 0);
      await untilStatus(stage, { active: 0, terminating: 0 });
      await stage.event("Suspended", ({ message }) => message === "Job suspended");
      await stage.settle();
      await patchSpec(stage, { suspend: false });
      const pods = await untilActive(stage, 2);
      await stage.event("Resumed", ({ message }) => message === "Job resumed");
      const resumed = await untilCondition(stage, "Suspended", "False");
      expect(resumed.status?.startTime).toBeDefined();
      for (const pod of pods) await exits(stage, pod);
      await untilEnd(stage, "Complete", "CompletionsReached");
    },
  },
  {
    name: "job/12 keeps the start time of a suspended Job where scheduling directives may not change",
    profile: "older-jobs",
    async play(stage) {
      await createJob(stage);
      await untilActive(stage, 1);
      await patchSpec(stage, { suspend: true });
      const { status } = await untilCondition(stage, "Suspended");
      expect(status?.startTime).toBeDefined();
      await untilStatus(stage, { active: 0, terminating: 0 });
    },
  },
  {
    name: "job/20, workloads/S26 counts each pod once without guarding against stale caches, too",
    profile: "older-jobs",
    async play(stage) {
      await createJob(stage, { parallelism: 2, completions: 2 });
      for (const pod of await untilActive(stage, 2)) await exits(stage, pod);
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect(status?.succeeded).toBe(2);
      expect(await stage.of(Pods).list()).toHaveLength(2);
    },
  },
  {
    name: "job/7, job/12 a Job that is created suspended has no pods and no start time",
    async play(stage) {
      await createJob(stage, { suspend: true });
      const { status } = await untilCondition(stage, "Suspended");
      expect([status?.startTime, status?.conditions?.[0]?.reason]).toEqual([undefined, "JobSuspended"]);
      await stage.settle();
      await patchSpec(stage, { suspend: false, template: template({ nodeSelector: { disk: "ssd" } }) });
      const [pod] = await untilActive(stage, 1);
      expect(pod?.spec?.nodeSelector).toEqual({ disk: "ssd" });
    },
  },
  {
    name: "job/2 leaves a Job that another controller manages alone, and its pods",
    async play(stage) {
      await createJob(stage, { managedBy: "example.com/other" });
      await createJob(stage, {}, "own");
      await untilActive(stage, 1, "own");
      await stage.calm(async () => {
        const pods = await stage.of(Pods).list();
        expect(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.name)).toEqual(["own"]);
        expect((await stage.of(Jobs).get("sum")).status).toEqual({});
      });
    },
  },
  {
    name: "job/9, job/20 counts each pod once that ended while the API server was gone",
    alone: true,
    async play(stage) {
      await createJob(stage, { parallelism: 2, completions: 2 });
      const pods = await untilActive(stage, 2);
      await stage.outage(async () => {
        for (const pod of pods) await exits(stage, pod);
        await stage.pass(AWAY_MS);
      });
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect([status?.succeeded, status?.failed]).toEqual([2, undefined]);
      expect(await stage.of(Pods).list()).toHaveLength(2);
    },
  },
];
