// Time zones as a dependency. Zone rules differ between hosts, so deterministic code asks an
// injected database; platform/ answers from the runtime's, tests from recorded transitions.

import { type CivilTime, civilFromSeconds, secondsFromCivil } from "#api/civil-time.ts";
import { ValueError } from "#api/errors.ts";

export interface TimeZone {
  /** Seconds to add to UTC at an instant given in seconds since the epoch. */
  offsetAt(epochSeconds: number): number;
}

export interface TimeZones {
  /** The IANA zone of exactly this name, or undefined. */
  find(name: string): TimeZone | undefined;
  /** The process's own zone: what Go calls Local. */
  readonly local: TimeZone;
}

export const UTC: TimeZone = { offsetAt: () => 0 };

/** Only UTC. */
export const UTC_ONLY: TimeZones = { find: (name) => (name === "Etc/UTC" ? UTC : undefined), local: UTC };

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
 * The instant of a wall clock reading; fields may carry over. In a gap or a fold it is the instant that
 * Go's time.Date picks: the offset in force when the reading is taken for UTC, corrected once.
 */
export function instantOf(zone: TimeZone, wall: Omit<CivilTime, "weekday">): number {
  const asUtc = secondsFromCivil(wall.year, wall.month, wall.day, wall.hour, wall.minute, wall.second);
  const guess = zone.offsetAt(asUtc);
  return guess === 0 ? asUtc : asUtc - zone.offsetAt(asUtc - guess);
}
