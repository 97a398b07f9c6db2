// Starting Jobs: due times, missed times, policies and refusals.

import { expect } from "vitest";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { ResourceQuotas } from "#api/generated/resources/core-v1.ts";
import { AWAY_MS, REFUSALS, type ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import {
  controllerRef,
  createActive,
  createChild,
  createCronJob,
  createOverdue,
  dueName,
  type Job,
  jobSpec,
  lastStart,
  patchSpec,
  patchStatus,
  resume,
  untilActive,
  untilStarted,
} from "./objects.ts";

const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";

const READ_WITHOUT_NAMESPACE =
  "Go's controller reads the Job without its namespace, is refused, and repeats the create for ever";

const CLOCK_CHANGE = "clocks change twice a year";

/** Waits until the CronJob has started Jobs for exactly these times. */
async function untilScheduled(stage: Stage, times: readonly string[]): Promise<void> {
  const scheduled = (jobs: readonly Job[]): readonly string[] =>
    jobs.map(({ metadata }) => metadata.annotations?.[SCHEDULED] ?? "").sort();
  await stage.of(Jobs).untilAll((jobs) => scheduled(jobs).join() === times.join());
}

export const starting: readonly ScenarioText[] = [
  {
    name: "cronjob/8, cronjob/12, cronjob/14 starts the Job that is due, once, and notes it",
    chance: [
      { where: /cronjob-scheduled-timestamp/, reason: "the last time of a yearly schedule is another one each year" },
    ],
    async play(stage) {
      const cronJob = await createOverdue(stage, { timeZone: "Asia/Kolkata" });
      await resume(stage);
      const [job] = await stage.of(Jobs).untilAll((jobs) => jobs.length === 1);
      const name = job?.metadata.name ?? "";
      stage.call(name, "due");
      expect(job?.metadata).toMatchObject({ labels: { app: "tick" }, ownerReferences: [controllerRef(cronJob)] });
      expect(job?.metadata.annotations?.[SCHEDULED]).toMatch(/-07-01T00:00:00\+05:30$/);
      const { status } = await untilActive(stage, name);
      expect(status?.lastScheduleTime).toMatch(/-06-30T18:30:00Z$/);
      expect(status?.active?.[0]).toMatchObject({ kind: "Job", apiVersion: "batch/v1", uid: job?.metadata.uid });
      await stage.event("SuccessfulCreate", ({ message }) => message === `Created job ${name}`);
      await stage.settle();
      await patchSpec(stage, { failedJobsHistoryLimit: 2 });
      await stage.settle();
      expect(await stage.of(Jobs).list()).toHaveLength(1);
    },
  },
  {
    name: "cronjob/8 of many missed times the last has its Job, and an event warns",
    async play(stage) {
      await createOverdue(stage, { schedule: "0 * * * *" });
      await resume(stage);
      const [job] = await stage.of(Jobs).untilAll((jobs) => jobs.length === 1);
      const name = job?.metadata.name ?? "";
      stage.call(name, "due");
      await untilActive(stage, name);
      const message = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
      await stage.event("TooManyMissedTimes", (event) => event.message === message);
    },
  },
  {
    name: "cronjob/8, cronjob/10 starts nothing that was due before the starting deadline",
    async play(stage) {
      await createOverdue(stage, { startingDeadlineSeconds: 100 });
      await resume(stage);
      await stage.settle();
      await stage.calm(async () => expect(await stage.of(Jobs).list()).toEqual([]));
      await patchSpec(stage, { startingDeadlineSeconds: null });
      await untilStarted(stage);
    },
  },
  {
    name: "cronjob/6 starts nothing while it is suspended or being deleted",
    async play(stage) {
      await createOverdue(stage);
      await stage.calm(async () => expect(await stage.of(Jobs).list()).toEqual([]));
      await stage.of(CronJobs).patch("tick", { metadata: { finalizers: ["example.com/hold"] } });
      await stage.of(CronJobs).delete("tick");
      await stage.settle();
      await resume(stage);
      await stage.settle();
      expect(await stage.of(Jobs).list()).toEqual([]);
    },
  },
  {
    name: "cronjob/6 an event tells of a schedule that names no time",
    async play(stage) {
      await createCronJob(stage, { schedule: "59 23 31 2 *" });
      const problem = "time difference between two schedules is less than 1 second";
      await stage.event("InvalidSchedule", ({ message }) => message === `invalid schedule: 59 23 31 2 * : ${problem}`);
      await stage.settle();
      expect(await stage.of(Jobs).list()).toEqual([]);
    },
  },
  {
    name: "cronjob/7 a changed schedule takes effect at its next time, or with the next change of something else",
    async play(stage) {
      await createOverdue(stage, { schedule: "0 0 1 8 *" });
      await patchSpec(stage, { suspend: false, schedule: "0 0 1 7 *" });
      await stage.settle();
      await stage.calm(async () => expect(await stage.of(Jobs).list()).toEqual([]));
      await patchSpec(stage, { failedJobsHistoryLimit: 2 });
      await untilStarted(stage);
    },
  },
  {
    name: "cronjob/11 starts a second Job beside an active one where the policy allows it",
    async play(stage) {
      await createActive(stage, await createOverdue(stage));
      await resume(stage);
      await untilStarted(stage, "running");
    },
  },
  {
    name: "cronjob/11 starts no second Job where the policy forbids it",
    async play(stage) {
      await createActive(stage, await createOverdue(stage, { concurrencyPolicy: "Forbid" }));
      await resume(stage);
      const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
      await stage.event("JobAlreadyActive", (event) => event.message === message);
      await stage.settle();
      const names = (await stage.of(Jobs).list()).map(({ metadata }) => metadata.name);
      expect(names).toEqual(["running"]);
    },
  },
  {
    name: "cronjob/11 deletes the active Job first where the policy is to replace it",
    async play(stage) {
      await createActive(stage, await createOverdue(stage, { concurrencyPolicy: "Replace" }));
      await resume(stage);
      await untilStarted(stage);
      await stage.of(Jobs).untilGone("running");
      await stage.event("SuccessfulDelete", ({ message }) => message === "Deleted job running");
    },
  },
  {
    name: "cronjob/7, cronjob/8, cronjob/9, cronjob/tests skips a time that the clock leaps over in spring",
    virtualOnly: CLOCK_CHANGE,
    confirmedBy: "cronjob",
    startsAt: "2026-03-08T06:58:30Z",
    async play(stage) {
      await createCronJob(stage, { schedule: "0,59 1-3 * * *", timeZone: "America/New_York" });
      await untilScheduled(stage, ["2026-03-08T01:59:00-05:00"]);
      await stage.settle();
      await untilScheduled(stage, ["2026-03-08T01:59:00-05:00", "2026-03-08T03:00:00-04:00"]);
    },
  },
  {
    name: "cronjob/7, cronjob/8, cronjob/9, cronjob/tests takes the hour that comes twice in autumn for two",
    virtualOnly: CLOCK_CHANGE,
    confirmedBy: "cronjob",
    startsAt: "2026-11-01T05:58:30Z",
    async play(stage) {
      await createCronJob(stage, { schedule: "0,59 1 * * *", timeZone: "America/New_York" });
      await untilScheduled(stage, ["2026-11-01T01:59:00-04:00"]);
      await stage.settle();
      await untilScheduled(stage, ["2026-11-01T01:00:00-05:00", "2026-11-01T01:59:00-04:00"]);
    },
  },
  {
    name: "cronjob/13 leaves a Job of the due name alone that it does not control",
    virtualOnly: READ_WITHOUT_NAMESPACE,
    async play(stage) {
      const name = dueName(stage);
      stage.call(name, "due");
      await stage.of(Jobs).create({ metadata: { name }, spec: jobSpec });
      await createOverdue(stage);
      await resume(stage);
      await stage.settle();
      expect((await stage.of(CronJobs).get("tick")).status?.active ?? []).toEqual([]);
      expect((await stage.of(Jobs).get(name)).metadata.ownerReferences).toBeUndefined();
    },
  },
  {
    name: "cronjob/3, cronjob/13 notes a Job of the due name that it controls and forgot",
    virtualOnly: READ_WITHOUT_NAMESPACE,
    async play(stage) {
      const cronJob = await createOverdue(stage);
      const name = dueName(stage);
      stage.call(name, "due");
      await createChild(stage, cronJob, name);
      await stage.event(
        "UnexpectedJob",
        ({ message }) => message === `Saw a job that the controller did not create or forgot: ${name}`,
      );
      await stage.settle();
      await resume(stage);
      await untilStarted(stage);
      expect(await stage.of(Jobs).list()).toHaveLength(1);
    },
  },
  {
    name: "cronjob/13, cronjob/15 a quota refuses the Job: an event says so, and the Job starts when the quota is gone",
    async play(stage) {
      const hard = { "count/jobs.batch": "0" };
      await stage.of(ResourceQuotas).create({ metadata: { name: "jobs" }, spec: { hard } });
      await stage.standIn("resourcequota-controller", async () => {
        await stage.of(ResourceQuotas).patch("jobs", { status: { hard, used: hard } }, { subresource: "status" });
      });
      await stage.of(ResourceQuotas).until("jobs", ({ status }) => status?.hard !== undefined);
      await createOverdue(stage);
      await resume(stage);
      await stage.untilRefused(REFUSALS);
      await stage.event("FailedCreate", ({ message }) => message?.includes("exceeded quota") ?? false);
      await stage.settle();
      await stage.of(ResourceQuotas).delete("jobs");
      await untilStarted(stage);
    },
  },
  {
    name: "cronjob/9 starts a Job at each full minute",
    slow: true,
    async play(stage) {
      await createCronJob(stage, { schedule: "* * * * *" });
      const [job] = await stage.of(Jobs).untilAll((jobs) => jobs.length === 1);
      const name = job?.metadata.name ?? "";
      stage.call(name, "due");
      const { status } = await untilActive(stage, name);
      expect(status?.lastScheduleTime).toMatch(/:00Z$/);
      await patchSpec(stage, { suspend: true });
    },
  },
  {
    name: "cronjob/8 starts from the last start, and not from the creation",
    async play(stage) {
      await createCronJob(stage);
      await stage.settle();
      await stage.calm(async () => expect(await stage.of(Jobs).list()).toEqual([]));
      await patchStatus(stage, lastStart(stage));
      await untilStarted(stage);
    },
  },
  {
    name: "cronjob/8, cronjob/12 starts the Job once that became due while the API server was gone",
    alone: true,
    chance: [
      {
        where: /^reads of phase 2 › get .*\/jobs\/\{due\}$/,
        reason: "the Job is read live where its cache is behind that of CronJobs",
      },
    ],
    async play(stage) {
      await createOverdue(stage);
      await stage.outage(async () => {
        await resume(stage);
        await stage.pass(AWAY_MS);
      });
      await untilStarted(stage);
      await stage.settle();
      expect(await stage.of(Jobs).list()).toHaveLength(1);
    },
  },
];
