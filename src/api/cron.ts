// Cron schedules with the semantics of robfig/cron v3's standard parser: five fields, names, ranges,
// steps, @descriptors, @every and a TZ= prefix.
// Upstream: github.com/robfig/cron/v3, parser.go and spec.go

import { nextMatch } from "#api/cron-next.ts";
import { ValueError } from "#api/errors.ts";
import { parseDuration, SECOND } from "#api/go-duration.ts";
import { parseInt64 } from "#api/go-text.ts";
import { loadTimeZone } from "#api/time-zone.ts";
import type { EpochMs } from "#base/clock.ts";
import type { TimeZone, TimeZones } from "#base/time-zones.ts";

export interface CronField {
  readonly values: ReadonlySet<number>;
  /** True for "*" or "?" without a step above 1. Days of month and week are then combined by AND, otherwise by OR. */
  readonly isStar: boolean;
}

export interface CronFields {
  readonly minute: CronField;
  readonly hour: CronField;
  readonly dayOfMonth: CronField;
  readonly month: CronField;
  readonly dayOfWeek: CronField;
}

export interface CronSchedule {
  /** The first time after the given one, on a whole second; undefined when none comes within five years. */
  next(after: EpochMs): EpochMs | undefined;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
}

const MINUTES: Bounds = { min: 0, max: 59, names: [] };
const HOURS: Bounds = { min: 0, max: 23, names: [] };
const DAYS: Bounds = { min: 1, max: 31, names: [] };
const MONTHS: Bounds = {
  min: 1,
  max: 12,
  names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAYS: Bounds = { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ["@yearly", "0 0 1 1 *"],
  ["@annually", "0 0 1 1 *"],
  ["@monthly", "0 0 1 * *"],
  ["@weekly", "0 0 * * 0"],
  ["@daily", "0 0 * * *"],
  ["@midnight", "0 0 * * *"],
  ["@hourly", "0 * * * *"],
]);

/** cron.ParseStandard. Throws a ValueError. Without a TZ= prefix the schedule runs in the local zone. */
export function parseCron(spec: string, zones: TimeZones): CronSchedule {
  if (spec === "") throw fail("empty spec string");
  let zone: TimeZone = zones.local;
  let body = spec;
  if (spec.startsWith("TZ=") || spec.startsWith("CRON_TZ=")) {
    const space = spec.indexOf(" ");
    // Deviation: upstream panics on a prefix without a schedule.
    if (space < 0) throw fail(`expected exactly 5 fields, found 0: []`);
    zone = zoneOf(spec.slice(spec.indexOf("=") + 1, space), zones);
    body = spec.slice(space).trim();
  }
  if (body.startsWith("@every ")) return every(body);
  const text = body.startsWith("@") ? DESCRIPTORS.get(body) : body;
  if (text === undefined) throw fail(`unrecognized descriptor: ${body}`);
  const fields = parseFields(text);
  return { next: (after) => nextMatch(fields, zone, after) };
}

function zoneOf(name: string, zones: TimeZones): TimeZone {
  try {
    return loadTimeZone(zones, name);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw fail(`provided bad location ${name}: ${error.message}`);
  }
}

function every(descriptor: string): CronSchedule {
  let delay: bigint;
  try {
    delay = parseDuration(descriptor.slice("@every ".length));
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw fail(`failed to parse duration ${descriptor}: ${error.message}`);
  }
  const seconds = delay < SECOND ? 1 : Number(delay / SECOND);
  return { next: (after) => (Math.floor(after / 1000) + seconds) * 1000 };
}

function parseFields(text: string): CronFields {
  const fields = text.split(/\s+/).filter((field) => field !== "");
  const [minute, hour, dayOfMonth, month, dayOfWeek] = fields;
  if (dayOfWeek === undefined || fields.length !== 5) {
    throw fail(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  return {
    minute: parseField(minute ?? "", MINUTES),
    hour: parseField(hour ?? "", HOURS),
    dayOfMonth: parseField(dayOfMonth ?? "", DAYS),
    month: parseField(month ?? "", MONTHS),
    dayOfWeek: parseField(dayOfWeek, WEEKDAYS),
  };
}

function parseField(text: string, bounds: Bounds): CronField {
  const values = new Set<number>();
  let isStar = false;
  for (const expression of text.split(",").filter((part) => part !== "")) {
    const range = parseRange(expression, bounds);
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
    isStar ||= range.isStar;
  }
  return { values, isStar };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isStar: boolean;
}

function parseRange(expression: string, bounds: Bounds): Range {
  const parts = expression.split("/");
  const ends = (parts[0] ?? "").split("-");
  const first = ends[0] ?? "";
  const isAny = first === "*" || first === "?";
  const start = isAny ? bounds.min : parseIntOrName(first, bounds);
  let end = bounds.max;
  if (!isAny) {
    if (ends.length > 2) throw fail(`too many hyphens: ${expression}`);
    end = ends[1] === undefined ? start : parseIntOrName(ends[1], bounds);
  }
  if (parts.length > 2) throw fail(`too many slashes: ${expression}`);
  const step = parts[1] === undefined ? 1 : parseNumber(parts[1]);
  // "5/15" means from 5 to the maximum.
  if (parts.length === 2 && ends.length === 1) end = bounds.max;
  if (start < bounds.min) {
    throw fail(`beginning of range (${start}) below minimum (${bounds.min}): ${expression}`);
  }
  if (end > bounds.max) throw fail(`end of range (${end}) above maximum (${bounds.max}): ${expression}`);
  if (start > end) throw fail(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) throw fail(`step of range should be a positive number: ${expression}`);
  return { start, end, step, isStar: isAny && step === 1 };
}

function parseIntOrName(text: string, { names, min }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index >= 0 ? index + min : parseNumber(text);
}

function parseNumber(text: string): number {
  const parsed = parseInt64(text, "Atoi");
  if ("error" in parsed) throw fail(`failed to parse int from ${text}: ${parsed.error}`);
  if (parsed.value < 0n) throw fail(`negative number (${parsed.value}) not allowed: ${text}`);
  return Number(parsed.value);
}

function fail(message: string): ValueError {
  return new ValueError("cron", message);
}
