// The schedule of a CronJob in its time zone, and times in Go's formats.
// Upstream: pkg/controller/cronjob/cronjob_controllerv2.go, formatSchedule; utils.go, getJobFromTemplate2.

import { type CivilTime, civilFromSeconds } from "#api/civil-time.ts";
import { type CronSchedule, parseCron } from "#api/cron.ts";
import { ValueError } from "#api/errors.ts";
import type { CronJob } from "#api/generated/types/batch-v1.ts";
import { civilIn, loadTimeZone } from "#api/time-zone.ts";
import type { EpochMs } from "#base/clock.ts";
import type { TimeZones } from "#base/time-zones.ts";

/** A zone inside the schedule's text is used, although it is not supported. */
export function namesZone(schedule: string): boolean {
  return schedule.includes("TZ");
}

/** A ValueError says why the text is not a schedule. */
export function parseSchedule({ spec }: CronJob, zones: TimeZones): CronSchedule | ValueError {
  const { schedule = "", timeZone } = spec ?? {};
  const isPlain = namesZone(schedule) || timeZone === undefined || zoneProblem(timeZone, zones) !== undefined;
  return caught(() => parseCron(isPlain ? schedule : `TZ=${timeZone} ${schedule}`, zones));
}

export function zoneProblem(timeZone: string, zones: TimeZones): string | undefined {
  const found = caught(() => loadTimeZone(zones, timeZone));
  return found instanceof ValueError ? found.message : undefined;
}

function caught<T>(parse: () => T): T | ValueError {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ValueError) return error;
    throw error;
  }
}

/** "2026-03-29T03:00:00+02:00", with "Z" where the zone has no offset. */
export function formatInZone(time: EpochMs, timeZone: string | undefined, zones: TimeZones): string {
  const seconds = Math.floor(time / 1000);
  const zone = loadTimeZone(zones, timeZone ?? "");
  const minutes = Math.trunc(zone.offsetAt(seconds) / 60);
  const size = Math.abs(minutes);
  const offset = minutes === 0 ? "Z" : `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  const civil = civilIn(zone, seconds);
  return `${civil.year}-${two(civil.month)}-${two(civil.day)}T${clockTime(civil)}${offset}`;
}

const DAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Go's RFC1123Z in UTC: "Thu, 01 Jan 2026 00:00:00 +0000". */
export function formatMail(time: EpochMs): string {
  const civil = civilFromSeconds(Math.floor(time / 1000));
  const date = `${two(civil.day)} ${MONTHS[civil.month - 1]} ${civil.year}`;
  return `${DAYS[civil.weekday]}, ${date} ${clockTime(civil)} +0000`;
}

const two = (value: number): string => String(value).padStart(2, "0");

const clockTime = ({ hour, minute, second }: CivilTime): string => `${two(hour)}:${two(minute)}:${two(second)}`;
