// CronJobs that the API server refuses today, but older servers accepted.

import { expect, it } from "vitest";
import { CronJobs } from "#api/generated/resources/batch-v1.ts";
import type { CronJobSpec } from "#api/generated/types/batch-v1.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { neverAborted, testClock } from "#base/testing.ts";
import { UTC_ONLY } from "#base/time-zones.ts";
import { createLister } from "#informers/lister.ts";
import { IndexedStore } from "#informers/store.ts";
import { done } from "#kit/worker-loop.ts";
import { indexChildren } from "./children.ts";
import { isTooLate } from "./due-time.ts";
import type { CronJob, Deps, Job } from "./model.ts";
import { formatMail } from "./schedule.ts";
import { syncCronJob } from "./sync.ts";

async function eventsOf(spec: Partial<CronJobSpec>): Promise<{ readonly events: string[]; readonly result: unknown }> {
  const clock = testClock();
  const cronJobs = new IndexedStore<CronJob>();
  const cronJob = stored(CronJobs, {
    metadata: { name: "tick", creationTimestamp: formatTime(clock.now()) },
    spec: { schedule: "0 0 1 7 *", jobTemplate: {}, ...spec },
  });
  cronJobs.set(`${cronJob.metadata.namespace}/tick`, cronJob);
  const jobs = new IndexedStore<Job>();
  indexChildren(jobs);
  const events: string[] = [];
  const deps = {
    clock,
    zones: UTC_ONLY,
    cronJobs: { lister: createLister(cronJobs, CronJobs) },
    jobs: { store: jobs },
    written: new Map(),
    recorder: {
      event: (_: unknown, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason}: ${message}`),
    },
  } as unknown as Deps;
  return { result: await syncCronJob(`${cronJob.metadata.namespace}/tick`, deps, neverAborted()), events };
}

it("cronjob/6, cronjob/events an unknown time zone stops the CronJob", async () => {
  const { events, result } = await eventsOf({ timeZone: "Mars/Olympus" });
  expect(events).toEqual(['Warning UnknownTimeZone: invalid timeZone: "Mars/Olympus": unknown time zone Mars/Olympus']);
  expect(result).toBe(done);
});

it("cronjob/6, cronjob/events an unreadable schedule stops the CronJob", async () => {
  const { events, result } = await eventsOf({ schedule: "often" });
  expect(events).toEqual([
    'Warning UnparseableSchedule: unparseable schedule: "often" : expected exactly 5 fields, found 1: [often]',
  ]);
  expect(result).toBe(done);
});

it("cronjob/7, cronjob/events a zone in the schedule is used, with a warning", async () => {
  const { events, result } = await eventsOf({ schedule: "TZ=UTC 0 0 1 7 *" });
  expect(events).toEqual([
    'Warning UnsupportedSchedule: CRON_TZ or TZ used in schedule "TZ=UTC 0 0 1 7 *" is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
  ]);
  expect(result).toMatchObject({ kind: "requeue" });
});

it("cronjob/10 a start is too late when the deadline has passed", () => {
  const spec = { schedule: "0 0 1 7 *", jobTemplate: {}, startingDeadlineSeconds: 60 };
  expect(isTooLate({ spec }, 1000, 61_000)).toBe(false);
  expect(isTooLate({ spec }, 1000, 61_001)).toBe(true);
  expect(isTooLate({ spec: { schedule: "", jobTemplate: {} } }, 1000, 1e12)).toBe(false);
  expect(formatMail(Date.UTC(2026, 2, 29, 1, 2, 3))).toBe("Sun, 29 Mar 2026 01:02:03 +0000");
});
