// Due times as upstream computes them (tools/go/vectors-cronjob), mostly around clock changes.

import { expect, it } from "vitest";
import { ValueError } from "#api/errors.ts";
import { CronJobs } from "#api/generated/resources/batch-v1.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { type TimeZones, UTC } from "#base/time-zones.ts";
import file from "#test/vectors/cronjob.json" with { type: "json" };
import zoneFile from "#test/vectors/values-cron.json" with { type: "json" };
import { nextTimeInMs, recentTime } from "./due-time.ts";
import { jobAt } from "./new-job.ts";
import { parseSchedule } from "./schedule.ts";

type Changes = readonly (readonly [sinceSeconds: number, offset: number])[];
const recorded = new Map((zoneFile as unknown as { zones: [string, Changes][] }).zones);
const zones: TimeZones = {
  find(name) {
    const changes = recorded.get(name);
    return changes && { offsetAt: (seconds) => changes.findLast(([since]) => since <= seconds)?.[1] ?? 0 };
  },
  local: UTC,
};

type Row = readonly [
  schedule: string,
  timeZone: string | null,
  created: number,
  last: number | null,
  deadline: number | null,
  nowMs: number,
  due: number | null,
  isMany: boolean,
  problem: string,
  waitMs: number,
  name: string,
  annotation: string,
];

it("cronjob/8, cronjob/9, cronjob/12 finds due times, the next time and the Job's name as upstream does", () => {
  const rows = (file as unknown as { readonly due: readonly Row[] }).due;
  expect(rows.length).toBeGreaterThan(800);
  for (const row of rows) {
    const [schedule, timeZone, created, last, deadline, nowMs, due, isMany, problem, waitMs, name, annotation] = row;
    const cronJob = stored(CronJobs, {
      metadata: { name: "c", creationTimestamp: formatTime(created * 1000) },
      spec: {
        schedule,
        jobTemplate: {},
        ...(timeZone === null ? {} : { timeZone }),
        ...(deadline === null ? {} : { startingDeadlineSeconds: deadline }),
      },
      status: last === null ? {} : { lastScheduleTime: formatTime(last * 1000) },
    });
    const parsed = parseSchedule(cronJob, zones);
    if (parsed instanceof ValueError) throw parsed;
    const found = recentTime(cronJob, nowMs, parsed, { withDeadline: true });
    const ours = "error" in found ? { missed: "none", error: found.error } : { error: "", ...found };
    const recent = "recent" in ours ? ours.recent : undefined;
    const job = recent === undefined ? undefined : jobAt(cronJob, recent, zones).metadata;
    expect([row, recent === undefined ? null : recent / 1000, recent !== undefined && ours.missed === "many"]).toEqual([
      row,
      due,
      isMany,
    ]);
    expect([row, ours.error, job?.name ?? ""]).toEqual([row, problem, name]);
    expect([row, Object.values(job?.annotations ?? {}).join()]).toEqual([row, annotation]);
    if (problem === "") expect([row, nextTimeInMs(cronJob, nowMs, parsed)]).toEqual([row, waitMs]);
  }
});
