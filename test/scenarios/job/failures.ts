// Failed pods: back-off, limits, policies and deadlines.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { bind, finishDeletion, isTerminating, setPodStatus } from "#test/stage/pods.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  createJob,
  fails,
  patchSpec,
  template,
  untilActive,
  untilCondition,
  untilEnd,
  untilStatus,
} from "./objects.ts";

const ofMain = (operator: string, ...values: readonly number[]) => ({ containerName: "main", operator, values });

export const failures: readonly ScenarioText[] = [
  {
    name: "job/8, job/9, job/10, job/11 fails when more pods failed than the back-off limit allows, and deletes the rest",
    async play(stage) {
      await createJob(stage, { parallelism: 2, completions: 4, backoffLimit: 1 });
      const [first] = await untilActive(stage, 2);
      await fails(stage, first);
      await untilStatus(stage, { failed: 1 });
      const [second] = await untilActive(stage, 2);
      await fails(stage, second);
      const { status } = await untilEnd(stage, "Failed", "BackoffLimitExceeded");
      expect([status?.failed, status?.succeeded ?? 0, status?.completionTime]).toEqual([3, 0, undefined]);
      const message = "Job has reached the specified backoff limit";
      expect(status?.conditions?.[1]?.message).toBe(message);
      await stage.event("BackoffLimitExceeded", (event) => event.message === message);
    },
  },
  {
    name: "job/14, job/15 replaces a failed pod when its back-off is over, and not before",
    async play(stage) {
      await createJob(stage);
      const [first] = await untilActive(stage, 1);
      await fails(stage, first, { agoMs: 4000 });
      await untilStatus(stage, { failed: 1 });
      await stage.settle();
      await stage.calm(async () => expect(await stage.of(Pods).list()).toHaveLength(1));
      await stage.of(Pods).untilAll((pods) => pods.length === 2);
      await untilStatus(stage, { failed: 1, active: 1 });
    },
  },
  {
    name: "job/8, job/9 fails a Job that is active longer than its deadline",
    async play(stage) {
      await createJob(stage, { activeDeadlineSeconds: 5 });
      await untilActive(stage, 1);
      const { status } = await untilEnd(stage, "Failed", "DeadlineExceeded");
      expect([status?.failed, status?.conditions?.[1]?.message]).toEqual([
        1,
        "Job was active longer than specified deadline",
      ]);
    },
  },
  {
    name: "job/1, job/8 a deadline that is set later counts from the start of the Job",
    async play(stage) {
      await createJob(stage);
      await untilActive(stage, 1);
      await patchSpec(stage, { activeDeadlineSeconds: 1 });
      await untilEnd(stage, "Failed", "DeadlineExceeded");
    },
  },
  {
    name: "job/8 counts restarts of containers where pods restart on failure",
    async play(stage) {
      await createJob(stage, { backoffLimit: 2, template: template({ restartPolicy: "OnFailure" }) });
      const [pod] = await untilActive(stage, 1);
      const name = pod?.metadata.name ?? "";
      const restarted = (restartCount: number) =>
        setPodStatus(stage, name, {
          phase: "Running",
          containerStatuses: [
            { name: "main", image: "example/web:1", imageID: "", ready: false, restartCount, state: { waiting: {} } },
          ],
        });
      await restarted(1);
      await stage.settle(2500);
      await stage.calm(async () => expect((await stage.of(Jobs).get("sum")).status?.conditions).toBeUndefined());
      await restarted(2);
      await untilEnd(stage, "Failed", "BackoffLimitExceeded");
    },
  },
  {
    name: "job/6, job/18 a pod failure policy ignores disruptions and fails the Job for an exit code",
    async play(stage) {
      await createJob(stage, {
        backoffLimit: 0,
        podFailurePolicy: {
          rules: [
            { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] },
            { action: "FailJob", onExitCodes: ofMain("In", 42) },
          ],
        },
      });
      const [first] = await untilActive(stage, 1);
      const conditions = [{ type: "DisruptionTarget", status: "True" }];
      await fails(stage, first, { agoMs: 3_600_000, conditions });
      await stage.of(Pods).untilAll((pods) => pods.length === 2);
      const [second] = await untilActive(stage, 1);
      expect((await stage.of(Jobs).get("sum")).status?.failed ?? 0).toBe(0);
      stage.call(second?.metadata.name ?? "", "second");
      await fails(stage, second, { agoMs: 3_600_000, code: 42 });
      const { status } = await untilEnd(stage, "Failed", "PodFailurePolicy");
      const pod = `${stage.namespace}/${second?.metadata.name}`;
      expect(status?.conditions?.[1]?.message).toBe(
        `Container main for pod ${pod} failed with exit code 42 matching FailJob rule at index 1`,
      );
      expect(status?.failed).toBe(1);
    },
  },
  {
    name: "job/6, job/14 a pod that was deleted has failed, and is replaced while it terminates",
    async play(stage) {
      await createJob(stage);
      const [pod] = await untilActive(stage, 1);
      const name = pod?.metadata.name ?? "";
      await bind(stage, name, "node-a");
      await stage.settle();
      await stage.of(Pods).delete(name);
      await untilStatus(stage, { failed: 1, terminating: 1 });
      await stage.settle();
      await finishDeletion(stage, name);
      await stage.of(Pods).untilGone(name);
      await untilStatus(stage, { failed: 1, terminating: 0 });
    },
  },
  {
    name: "job/6, job/14 replaces only failed pods where its policy says so: a terminating pod keeps its place",
    async play(stage) {
      await createJob(stage, { podReplacementPolicy: "Failed" });
      const [pod] = await untilActive(stage, 1);
      const name = pod?.metadata.name ?? "";
      await bind(stage, name, "node-a");
      await stage.settle();
      await stage.of(Pods).delete(name);
      await untilStatus(stage, { active: 0, terminating: 1 });
      await stage.settle(2500);
      await stage.calm(async () => {
        expect(await stage.of(Pods).list()).toHaveLength(1);
        expect((await stage.of(Jobs).get("sum")).status?.failed ?? 0).toBe(0);
      });
      await fails(stage, pod);
      await untilStatus(stage, { failed: 1, terminating: 0, active: 1 });
      await stage.of(Pods).untilAll((pods) => pods.filter((each) => !isTerminating(each)).length === 1);
    },
  },
  {
    name: "job/10 a Job that ends waits for a pod that is stuck with a foreign finalizer",
    async play(stage) {
      const held = template({}, { finalizers: ["example.com/hold"] });
      await createJob(stage, { template: held, activeDeadlineSeconds: 5 });
      const [pod] = await untilActive(stage, 1);
      await untilCondition(stage, "FailureTarget");
      await untilStatus(stage, { failed: 1, terminating: 1 });
      await stage.settle();
      await stage.calm(async () => {
        const types = (await stage.of(Jobs).get("sum")).status?.conditions?.map(({ type }) => type);
        expect(types).toEqual(["FailureTarget"]);
      });
      await stage.of(Pods).patch(pod?.metadata.name ?? "", { metadata: { finalizers: null } });
      const { status } = await untilEnd(stage, "Failed", "DeadlineExceeded");
      expect([status?.failed, status?.terminating]).toEqual([1, 0]);
    },
  },
];
