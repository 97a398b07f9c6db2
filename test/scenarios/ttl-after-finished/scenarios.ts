// Finished Jobs are deleted after their TTL.

import { expect } from "vitest";
import { Jobs } from "#api/generated/resources/batch-v1.ts";
import type { JobSpec } from "#api/generated/types/batch-v1.ts";
import { formatTime } from "#api/time.ts";
import { podSpec } from "#test/stage/pods.ts";
import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

/** A Job that another controller manages, so that only this scenario writes its status. */
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
]);
