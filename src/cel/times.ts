// Timestamps and durations of CEL, to the nanosecond.
// Upstream: github.com/google/cel-go/common/types/{timestamp,duration}.go

/** 0001-01-01T00:00:00Z to 9999-12-31T23:59:59.999999999Z */
export const MIN_SECONDS: bigint = -62135596800n;
export const MAX_SECONDS: bigint = 253402300799n;
const GIGA = 1_000_000_000n;

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** Nanoseconds since the epoch; undefined for an invalid RFC 3339 time. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map(Number);
  const days = daysInMonth(year, month);
  if (month < 1 || month > 12 || day < 1 || day > days || hour > 23 || minute > 59 || second > 59) return undefined;
  const zone = match[8] as string;
  let offset = 0;
  if (zone !== "Z") {
    const [zoneHours, zoneMinutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
    if (zoneHours > 24 || zoneMinutes > 59) return undefined;
    offset = (zone.startsWith("-") ? -1 : 1) * (zoneHours * 3600 + zoneMinutes * 60);
  }
  const seconds = daysFromCivil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  const fraction = BigInt((match[7] ?? "").slice(0, 9).padEnd(9, "0"));
  return BigInt(seconds) * GIGA + fraction;
}

export function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
}

function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly nanos: number;
  /** Sunday is 0. */
  readonly weekday: number;
  /** January 1st is 0. */
  readonly yearDay: number;
}

export function civilTime(nanos: bigint): CivilTime {
  let seconds = nanos / GIGA;
  let rest = nanos % GIGA;
  if (rest < 0n) {
    rest += GIGA;
    seconds--;
  }
  const total = Number(seconds);
  const days = Math.floor(total / 86400);
  const inDay = total - days * 86400;
  const z = days + 719468;
  const era = Math.floor(z / 146097);
  const dayOfEra = z - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shifted = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shifted + 2) / 5) + 1;
  const month = shifted + (shifted < 10 ? 3 : -9);
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return {
    year,
    month,
    day,
    hour: Math.floor(inDay / 3600),
    minute: Math.floor((inDay % 3600) / 60),
    second: inDay % 60,
    nanos: Number(rest),
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysFromCivil(year, 1, 1),
  };
}

export function formatTimestamp(nanos: bigint): string {
  const { year, month, day, hour, minute, second, nanos: rest } = civilTime(nanos);
  const two = (value: number): string => String(value).padStart(2, "0");
  const fraction = rest === 0 ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`;
  const date = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}${fraction}Z`;
}

/** As seconds, such as "3723.5s". */
export function formatSeconds(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const size = nanos < 0n ? -nanos : nanos;
  const rest = size % GIGA;
  const fraction = rest === 0n ? "" : `.${String(rest).padStart(9, "0").replace(/0+$/, "")}`;
  return `${sign}${size / GIGA}${fraction}s`;
}
