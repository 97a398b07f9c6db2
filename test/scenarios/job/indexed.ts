// Indexed Jobs: identities of pods, limits per index, success policies, scaling.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import {
  createJob,
  exits,
  fails,
  hasFinalizer,
  INDEX,
  indexOf,
  patchSpec,
  untilEnd,
  untilIndexes,
  untilStatus,
} from "./objects.ts";

const FAILURES = "batch.kubernetes.io/job-index-failure-count";
const IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count";

export const indexed: readonly ScenarioText[] = [
  {
    name: "job/16, job/19 gives each pod the lowest free index, and is complete when all have succeeded",
    async play(stage) {
      await createJob(stage, { completionMode: "Indexed", completions: 4, parallelism: 2 });
      const [zero, one] = await untilIndexes(stage, 0, 1);
      expect(one?.metadata.generateName).toBe("sum-1-");
      expect(one?.metadata.labels?.[INDEX]).toBe("1");
      expect(one?.spec?.hostname).toBe("sum-1");
      expect(one?.spec?.containers[0]?.env?.[0]).toMatchObject({
        name: "JOB_COMPLETION_INDEX",
        valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
      });
      await exits(stage, one);
      await untilStatus(stage, { completedIndexes: "1" });
      const [, two] = await untilIndexes(stage, 0, 2);
      await exits(stage, two);
      await untilStatus(stage, { completedIndexes: "1,2" });
      const [, three] = await untilIndexes(stage, 0, 3);
      await exits(stage, three);
      await untilStatus(stage, { completedIndexes: "1-3", succeeded: 3 });
      await stage.settle();
      await exits(stage, zero);
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect([status?.completedIndexes, status?.succeeded]).toEqual(["0-3", 4]);
    },
  },
  {
    name: "job/13, job/19 is scaled down and up with its completions: pods out of range go, indexes of the text are cut",
    async play(stage) {
      await createJob(stage, { completionMode: "Indexed", completions: 3, parallelism: 3 });
      const [zero, , two] = await untilIndexes(stage, 0, 1, 2);
      await exits(stage, two);
      await untilStatus(stage, { completedIndexes: "2", active: 2 });
      await stage.settle();
      await patchSpec(stage, { completions: 1, parallelism: 1 });
      await untilStatus(stage, { active: 1, succeeded: 0, completedIndexes: 0 });
      await stage.of(Pods).untilAll((pods) => pods.map(indexOf).toSorted().join() === "0,2");
      await stage.settle();
      await exits(stage, zero);
      const { status } = await untilEnd(stage, "Complete", "CompletionsReached");
      expect(status?.completedIndexes).toBe("0");
    },
  },
  {
    name: "job/9, job/17 an index fails at its own limit, the others go on, and the Job fails in the end",
    async play(stage) {
      await createJob(stage, { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 1 });
      const [zero, one] = await untilIndexes(stage, 0, 1);
      expect(zero?.metadata.annotations?.[FAILURES]).toBe("0");
      await fails(stage, zero);
      await stage.of(Pods).untilAll((pods) => pods.length === 3);
      await untilStatus(stage, { failed: 1, active: 2 });
      const [again] = await untilIndexes(stage, 0, 1);
      expect(again?.metadata.annotations?.[FAILURES]).toBe("1");
      await fails(stage, again);
      await untilStatus(stage, { failedIndexes: "0", failed: 2, active: 1 });
      await stage.settle();
      await exits(stage, one);
      const { status } = await untilEnd(stage, "Failed", "FailedIndexes");
      expect([status?.completedIndexes, status?.failedIndexes, status?.succeeded, status?.failed]).toEqual([
        "1",
        "0",
        1,
        2,
      ]);
      expect(status?.conditions?.[1]?.message).toBe("Job has failed indexes");
    },
  },
  {
    name: "job/17 the last failed pod of an index keeps its finalizer until its replacement is there",
    async play(stage) {
      await createJob(stage, { completionMode: "Indexed", completions: 2, parallelism: 2, backoffLimitPerIndex: 2 });
      const [zero] = await untilIndexes(stage, 0, 1);
      await fails(stage, zero, { agoMs: 4000 });
      await untilStatus(stage, { active: 1 });
      await stage.settle();
      await stage.calm(async () => {
        expect((await stage.of(Pods).get(zero?.metadata.name ?? "")).metadata.finalizers).toHaveLength(1);
        expect((await stage.of(Jobs).get("sum")).status?.failed ?? 0).toBe(0);
      });
      await stage.of(Pods).untilAll((pods) => pods.length === 3);
      await untilStatus(stage, { failed: 1, active: 2 });
    },
  },
  {
    name: "job/9, job/17, job/18 FailIndex ends an index at once, Ignore does not count, and too many failed indexes end the Job",
    async play(stage) {
      await createJob(stage, {
        completionMode: "Indexed",
        completions: 4,
        parallelism: 3,
        backoffLimitPerIndex: 3,
        maxFailedIndexes: 1,
        podFailurePolicy: {
          rules: [
            { action: "FailIndex", onExitCodes: { operator: "In", values: [2] } },
            { action: "Ignore", onExitCodes: { operator: "In", values: [3] } },
          ],
        },
      });
      const [zero, , two] = await untilIndexes(stage, 0, 1, 2);
      await fails(stage, zero, { agoMs: 3_600_000, code: 3 });
      await stage.of(Pods).untilAll((pods) => pods.length === 4);
      await stage.of(Pods).until(zero?.metadata.name ?? "", (pod) => !hasFinalizer(pod));
      const [again, one] = await untilIndexes(stage, 0, 1, 2);
      expect(again?.metadata.annotations).toMatchObject({ [FAILURES]: "0", [IGNORED]: "1" });
      await fails(stage, two, { agoMs: 3_600_000, code: 2 });
      await untilStatus(stage, { failedIndexes: "2", active: 3 });
      await untilIndexes(stage, 0, 1, 3);
      await fails(stage, one, { agoMs: 3_600_000, code: 2 });
      const { status } = await untilEnd(stage, "Failed", "MaxFailedIndexesExceeded");
      expect(status?.failedIndexes).toBe("1,2");
    },
  },
  {
    name: "job/9, job/21 is complete when its success policy is met, and does not count the pods that it deletes",
    exceptions: [
      {
        where: /status\.failed/,
        reason:
          "job_controller.go, isPodFailed: a pod that a manager deleted before it died is found terminating, and counts as failed",
      },
    ],
    async play(stage) {
      await createJob(stage, {
        completionMode: "Indexed",
        completions: 3,
        parallelism: 3,
        successPolicy: { rules: [{ succeededCount: 3 }, { succeededIndexes: "0,2", succeededCount: 1 }] },
      });
      const [, one, two] = await untilIndexes(stage, 0, 1, 2);
      await exits(stage, one);
      await untilStatus(stage, { completedIndexes: "1" });
      await stage.settle();
      await exits(stage, two);
      const { status } = await untilEnd(stage, "Complete", "SuccessPolicy");
      expect([status?.completedIndexes, status?.succeeded]).toEqual(["1,2", 2]);
      await stage.calm(async () => expect(status?.failed ?? 0).toBe(0));
      expect(status?.conditions?.[1]?.message).toBe("Matched rules at index 1");
    },
  },
];
