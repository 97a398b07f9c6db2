// Finished Jobs are deleted after their TTL.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { JobSpec } from "#api/generated/types/batch-v1.ts";
import { formatTime } from "#api/time.ts";
import { podSpec, setPodStatus } from "#test/stage/pods.ts";
import { AWAY_MS, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage, StageWrite } from "#test/stage/stage.ts";

const TRACKING = "batch.kubernetes.io/job-tracking";
const HOLD = "example.com/hold";

/** Creates a Job that another controller manages, so that only this scenario writes its status. */
async function createJob(stage: Stage, name: string, spec: Partial<JobSpec>): Promise<void> {
  const template = { spec: { ...podSpec, restartPolicy: "Never" } };
  await stage.of(Jobs).create({ metadata: { name }, spec: { template, managedBy: "example.com/steps", ...spec } });
}

async function finish(stage: Stage, name: string, type: "Complete" | "Failed", agoMs = 0): Promise<void> {
  const time = formatTime(stage.now() - agoMs);
  const conditions = ["Complete", "Failed"].includes(type)
    ? [
        {
          type: type === "Complete" ? "SuccessCriteriaMet" : "FailureTarget",
          status: "True",
          lastTransitionTime: time,
        },
        { type, status: "True", lastTransitionTime: time },
      ]
    : [];
  const startTime = time;
  const completion = type === "Complete" ? { completionTime: time } : {};
  await stage.of(Jobs).patch(name, { status: { conditions, startTime, ...completion } }, { subresource: "status" });
}

const untilDeleted = (stage: Stage, name: string): Promise<unknown> =>
  stage.until(`the deletion of ${name}`, async () => {
    const job = await stage.of(Jobs).find(name);
    return job === undefined || job.metadata.deletionTimestamp !== undefined ? true : undefined;
  });

export const scenarios: readonly Scenario[] = scenariosOf("ttl-after-finished-controller", { cast: "workloads" }, [
  {
    name: "ttl-after-finished/3, ttl-after-finished/4 deletes a complete Job when its TTL has passed, and not before",
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 3 });
      await stage.settle();
      await finish(stage, "sum", "Complete");
      await stage.settle();
      await stage.calm(async () => {
        expect((await stage.of(Jobs).get("sum")).metadata.deletionTimestamp).toBeUndefined();
      });
      await untilDeleted(stage, "sum");
    },
  },
  {
    name: "ttl-after-finished/5, ttl-after-finished/6 deletes a failed Job with a TTL of none at once, whoever manages it",
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 0 });
      await stage.settle();
      await finish(stage, "sum", "Failed");
      await untilDeleted(stage, "sum");
    },
  },
  {
    name: "ttl-after-finished/1 leaves Jobs that have no TTL, or are not finished",
    async play(stage) {
      await createJob(stage, "kept", {});
      await createJob(stage, "running", { ttlSecondsAfterFinished: 0 });
      await finish(stage, "kept", "Complete", 60_000);
      await stage.settle();
      expect(await stage.of(Jobs).list()).toHaveLength(2);
    },
  },
  {
    name: "ttl-after-finished/7 waits longer when the TTL is raised meanwhile, and for ever when it is removed",
    async play(stage) {
      await createJob(stage, "longer", { ttlSecondsAfterFinished: 2 });
      await createJob(stage, "kept", { ttlSecondsAfterFinished: 2 });
      for (const name of ["longer", "kept"]) await finish(stage, name, "Complete");
      await stage.of(Jobs).patch("longer", { spec: { ttlSecondsAfterFinished: 6 } });
      await stage.of(Jobs).patch("kept", { spec: { ttlSecondsAfterFinished: null } });
      await stage.pass(3500);
      await stage.calm(async () => {
        expect((await stage.of(Jobs).get("longer")).metadata.deletionTimestamp).toBeUndefined();
      });
      await untilDeleted(stage, "longer");
      expect((await stage.of(Jobs).get("kept")).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    name: "ttl-after-finished/8 deletes a Job that finished long ago as soon as it gets a TTL",
    async play(stage) {
      await createJob(stage, "sum", {});
      await finish(stage, "sum", "Complete", 3_600_000);
      await stage.settle();
      await stage.of(Jobs).patch("sum", { spec: { ttlSecondsAfterFinished: 60 } });
      await untilDeleted(stage, "sum");
    },
  },
  {
    name: "ttl-after-finished/tests, ttl-after-finished/traps keeps a Job of the job controller until its pods have ended, by the foreground",
    async play(stage) {
      const template = { spec: { ...podSpec, restartPolicy: "Never" } };
      await stage
        .of(Jobs)
        .create({ metadata: { name: "sum" }, spec: { template, ttlSecondsAfterFinished: 2, backoffLimit: 0 } });
      const [pod] = await stage.of(Pods).untilAll((pods) => pods.length === 1);
      const name = pod?.metadata.name ?? "";
      await stage.settle();
      await stage.of(Pods).patch(name, { metadata: { finalizers: [TRACKING, HOLD] } });
      await setPodStatus(stage, name, { phase: "Succeeded" });
      const job = await stage.of(Jobs).until("sum", ({ metadata }) => metadata.deletionTimestamp !== undefined);
      expect(job.metadata.finalizers).toEqual(["foregroundDeletion"]);
      await stage.of(Pods).until(name, ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.settle();
      expect((await stage.of(Pods).get(name)).metadata.finalizers).toEqual([HOLD]);
      await stage.of(Pods).patch(name, { metadata: { finalizers: null } });
      await stage.of(Jobs).untilGone("sum");
    },
  },
  {
    name: "ttl-after-finished/7 gives a Job of the same name its own TTL",
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 6 });
      await finish(stage, "sum", "Complete");
      await stage.of(Jobs).delete("sum", { propagationPolicy: "Background" });
      await stage.of(Jobs).untilGone("sum");
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 0 });
      await stage.settle();
      await stage.pass(6000);
      expect((await stage.of(Jobs).get("sum")).metadata.deletionTimestamp).toBeUndefined();
      await finish(stage, "sum", "Failed");
      await untilDeleted(stage, "sum");
    },
  },
  {
    name: "ttl-after-finished/3 waits for a Job that says it finished in the future",
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 1 });
      await stage.settle();
      await finish(stage, "sum", "Complete", -3000);
      await stage.settle();
      await stage.calm(async () => {
        expect((await stage.of(Jobs).get("sum")).metadata.deletionTimestamp).toBeUndefined();
      });
      await untilDeleted(stage, "sum");
    },
  },
  {
    name: "ttl-after-finished/1, ttl-after-finished/5 deletes a Job once that a finalizer of a user holds",
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 0 });
      await stage.of(Jobs).patch("sum", { metadata: { finalizers: [HOLD] } });
      await stage.settle();
      await finish(stage, "sum", "Complete");
      await untilDeleted(stage, "sum");
      await stage.settle();
      await stage.of(Jobs).patch("sum", { metadata: { labels: { touched: "yes" } } });
      await stage.settle();
      await stage.calm(async () => {
        const isDelete = ({ who, verb }: StageWrite): boolean =>
          who === "ttl-after-finished-controller" && verb === "delete";
        expect((await stage.writes()).filter(isDelete)).toHaveLength(1);
      });
      await stage.of(Jobs).patch("sum", { metadata: { finalizers: null } });
      await stage.of(Jobs).untilGone("sum");
    },
  },
  {
    name: "ttl-after-finished/7 deletes a Job earlier when its TTL is lowered",
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 3600 });
      await finish(stage, "sum", "Failed", 10_000);
      await stage.settle();
      expect((await stage.of(Jobs).get("sum")).metadata.deletionTimestamp).toBeUndefined();
      await stage.of(Jobs).patch("sum", { spec: { ttlSecondsAfterFinished: 5 } });
      await untilDeleted(stage, "sum");
    },
  },
  {
    name: "ttl-after-finished/8 deletes at its start a Job that finished while no manager ran, and no other",
    alone: true,
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 1 });
      await createJob(stage, "later", { ttlSecondsAfterFinished: 3600 });
      await stage.settle();
      await stage.restart(async () => {
        await finish(stage, "sum", "Complete", 60_000);
        await finish(stage, "later", "Complete", 60_000);
      });
      await untilDeleted(stage, "sum");
      expect((await stage.of(Jobs).get("later")).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    name: "ttl-after-finished/4 deletes no Job whose TTL was raised without its cache having seen it",
    alone: true,
    async play(stage) {
      await createJob(stage, "longer", { ttlSecondsAfterFinished: 8 });
      await finish(stage, "longer", "Complete");
      await stage.settle();
      stage.hold(Jobs);
      await stage.of(Jobs).patch("longer", { spec: { ttlSecondsAfterFinished: 3600 } });
      await stage.untilRead(Jobs, "longer");
      await stage.settle();
      stage.release(Jobs);
      await stage.settle();
      expect((await stage.of(Jobs).get("longer")).metadata.deletionTimestamp).toBeUndefined();
    },
  },
  {
    name: "ttl-after-finished/4 deletes a Job that finished while the API server was gone",
    alone: true,
    async play(stage) {
      await createJob(stage, "sum", { ttlSecondsAfterFinished: 0 });
      await stage.settle();
      await stage.outage(async () => {
        await finish(stage, "sum", "Complete");
        await stage.pass(AWAY_MS);
      });
      await untilDeleted(stage, "sum");
    },
  },
]);
