// Maps names of time zones to zones, and converts between instants and wall clock readings, like Go's package time.

import { type CivilTime, civilFromSeconds, secondsFromCivil } from "#api/civil-time.ts";
import { ValueError } from "#api/errors.ts";
import { type TimeZone, type TimeZones, UTC } from "#base/time-zones.ts";

/** Go's time.LoadLocation, with its errors. */
export function loadTimeZone(zones: TimeZones, name: string): TimeZone {
  if (name === "" || name === "UTC") return UTC;
  if (name === "Local") return zones.local;
  if (name.includes("..") || name.startsWith("/") || name.includes("\\")) {
    throw new ValueError("timeZone", "time: invalid location name");
  }
  const zone = zones.find(name);
  if (zone === undefined) throw new ValueError("timeZone", `unknown time zone ${name}`);
  return zone;
}

export function civilIn(zone: TimeZone, epochSeconds: number): CivilTime {
  return civilFromSeconds(epochSeconds + zone.offsetAt(epochSeconds));
}

/**
 * The instant of a wall clock reading; fields may carry over. In a gap or a fold it is the instant of Go's time.Date:
 * with the offset for the reading as UTC, corrected once.
 */
export function instantOf(zone: TimeZone, wall: Omit<CivilTime, "weekday">): number {
  const asUtc = secondsFromCivil(wall.year, wall.month, wall.day, wall.hour, wall.minute, wall.second);
  const guess = zone.offsetAt(asUtc);
  return guess === 0 ? asUtc : asUtc - zone.offsetAt(asUtc - guess);
}
