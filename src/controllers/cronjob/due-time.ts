// When a CronJob's next Job is due, how many starts it has missed, and when to check again.
// Upstream: pkg/controller/cronjob/utils.go, mostRecentScheduleTime, nextScheduleTimeDuration.

import type { CronSchedule } from "#api/cron.ts";
import type { CronJob } from "#api/generated/types/batch-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

/** Allows for small differences between the clocks of the cluster. */
const PADDING_MS = 100;
const MANY_MISSED = 100;

interface RecentTime {
  /** The last start or the creation, but not before the deadline if that applies. */
  readonly earliest: EpochMs;
  /** The last time of the schedule that is not after now; undefined when there is none since the earliest. */
  readonly recent?: EpochMs;
  readonly missed: "none" | "few" | "many";
}

/** The schedule never occurs, such as the 31st of February. */
const IMPOSSIBLE = "time difference between two schedules is less than 1 second";

export function recentTime(
  { metadata, spec, status }: CronJob,
  now: EpochMs,
  schedule: CronSchedule,
  { withDeadline }: { readonly withDeadline: boolean },
): RecentTime | { readonly error: string } {
  const deadline = spec?.startingDeadlineSeconds;
  let earliest = timeOrUndefined(status?.lastScheduleTime) ?? timeOrUndefined(metadata?.creationTimestamp) ?? 0;
  if (withDeadline && deadline !== undefined) earliest = Math.max(earliest, now - wrappedSecondsMs(deadline));
  const first = schedule.next(earliest);
  if (first !== undefined && now < first) return { earliest, missed: "none" };
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || second === undefined) return { error: IMPOSSIBLE };
  if (now < second) return { earliest, recent: first, missed: "none" };

  // An estimate from the distance of the first two times, so that years of missed times are not walked through.
  const periodMs = Math.round((second - first) / 1000) * 1000;
  const count = Math.floor((now - first) / periodMs) + 1;
  let recent: EpochMs | undefined;
  for (let time = schedule.next(first + (count - 2) * periodMs); time !== undefined && time <= now; ) {
    recent = time;
    time = schedule.next(time);
  }
  return { earliest, missed: count > MANY_MISSED ? "many" : "few", ...(recent === undefined ? {} : { recent }) };
}

/** The delay until the time after the recent one, plus a margin so that the time has come then. */
export function nextTimeInMs(job: CronJob, now: EpochMs, schedule: CronSchedule): number {
  const found = recentTime(job, now, schedule, { withDeadline: false });
  const base = "error" in found ? now : (found.recent ?? (found.missed === "none" ? found.earliest : now));
  return (schedule.next(base) ?? now - PADDING_MS) + PADDING_MS - now;
}

export function isTooLate({ spec }: CronJob, due: EpochMs, now: EpochMs): boolean {
  const deadline = spec?.startingDeadlineSeconds;
  return deadline !== undefined && due + wrappedSecondsMs(deadline) < now;
}
