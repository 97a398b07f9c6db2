// The next time of a cron schedule. Fields are raised from the month down; a field that wraps restarts the search.
// Around daylight-saving changes the result depends on these steps, so they are the same as upstream's.
// Upstream: github.com/robfig/cron/v3/spec.go, SpecSchedule.Next

import type { CivilTime } from "#api/civil-time.ts";
import type { CronFields } from "#api/cron.ts";
import { civilIn, instantOf } from "#api/time-zone.ts";
import type { EpochMs } from "#base/clock.ts";
import type { TimeZone } from "#base/time-zones.ts";

const YEARS_MAX = 5;
const HOUR = 3600;

export function nextMatch(fields: CronFields, zone: TimeZone, after: EpochMs): EpochMs | undefined {
  // A field such as "," allows no value: upstream searches five years to find that out.
  if (Object.values(fields).some(({ values }) => values.size === 0)) return undefined;
  const walk = new Walk(fields, zone, Math.floor(after / 1000) + 1);
  const yearLimit = walk.now.year + YEARS_MAX;
  while (walk.now.year <= yearLimit) {
    if (walk.toMonth() && walk.toDay() && walk.toHour() && walk.toMinute() && walk.toSecond()) {
      return walk.epochSeconds * 1000;
    }
  }
  return undefined;
}

/** Each step returns false when it wrapped and all fields must be checked again. */
class Walk {
  readonly #fields: CronFields;
  readonly #zone: TimeZone;
  epochSeconds: number;
  now: CivilTime;
  /** True once a field has been raised, so that all fields below it start from their lowest value. */
  #isRaised = false;

  constructor(fields: CronFields, zone: TimeZone, epochSeconds: number) {
    this.#fields = fields;
    this.#zone = zone;
    this.epochSeconds = epochSeconds;
    this.now = civilIn(zone, epochSeconds);
  }

  toMonth(): boolean {
    while (!this.#fields.month.values.has(this.now.month)) {
      if (!this.#isRaised) this.#jumpTo({ ...MIDNIGHT, year: this.now.year, month: this.now.month, day: 1 });
      this.#jumpTo({ ...this.now, month: this.now.month + 1 });
      if (this.now.month === 1) return false;
    }
    return true;
  }

  toDay(): boolean {
    while (!this.#dayMatches()) {
      const { year, month, day } = this.now;
      if (!this.#isRaised) this.#jumpTo({ ...MIDNIGHT, year, month, day });
      this.#jumpTo({ ...this.now, day: this.now.day + 1 });
      // Where midnight does not exist, the day starts an hour early or late.
      const { hour } = this.now;
      if (hour !== 0) this.#advance((hour > 12 ? 24 - hour : -hour) * HOUR);
      if (this.now.day === 1) return false;
    }
    return true;
  }

  toHour(): boolean {
    while (!this.#fields.hour.values.has(this.now.hour)) {
      if (!this.#isRaised) this.#jumpTo({ ...this.now, minute: 0, second: 0 });
      this.#advance(HOUR);
      if (this.now.hour === 0) return false;
    }
    return true;
  }

  toMinute(): boolean {
    while (!this.#fields.minute.values.has(this.now.minute)) {
      if (!this.#isRaised) this.#truncateToMinute();
      this.#advance(60);
      if (this.now.minute === 0) return false;
    }
    return true;
  }

  /** Standard schedules fire at second 0. */
  toSecond(): boolean {
    while (this.now.second !== 0) {
      this.#isRaised = true;
      this.#advance(1);
      if (this.now.second === 0) return false;
    }
    return true;
  }

  #dayMatches(): boolean {
    const { dayOfMonth, dayOfWeek } = this.#fields;
    const isDay = dayOfMonth.values.has(this.now.day);
    const isWeekday = dayOfWeek.values.has(this.now.weekday);
    return dayOfMonth.isStar || dayOfWeek.isStar ? isDay && isWeekday : isDay || isWeekday;
  }

  #jumpTo(wall: Omit<CivilTime, "weekday">): void {
    this.#isRaised = true;
    this.epochSeconds = instantOf(this.#zone, wall);
    this.now = civilIn(this.#zone, this.epochSeconds);
  }

  #truncateToMinute(): void {
    this.#isRaised = true;
    this.#advance(-(((this.epochSeconds % 60) + 60) % 60));
  }

  #advance(seconds: number): void {
    this.epochSeconds += seconds;
    this.now = civilIn(this.#zone, this.epochSeconds);
  }
}

const MIDNIGHT = { hour: 0, minute: 0, second: 0 };
