// The runtime's time zone database behind the TimeZones interface.

import type { TimeZone, TimeZones } from "#base/time-zones.ts";

// Offsets change at quarter hours at most, so each quarter is looked up once.
const BUCKET_SECONDS = 900;
const CACHE_MAX = 8192;

class IntlTimeZone implements TimeZone {
  readonly #format: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  constructor(format: Intl.DateTimeFormat) {
    this.#format = format;
  }

  offsetAt(epochSeconds: number): number {
    const bucket = Math.floor(epochSeconds / BUCKET_SECONDS);
    let offset = this.#offsets.get(bucket);
    if (offset === undefined) {
      offset = this.#read(bucket * BUCKET_SECONDS);
      if (this.#offsets.size >= CACHE_MAX) this.#offsets.clear();
      this.#offsets.set(bucket, offset);
    }
    return offset;
  }

  #read(epochSeconds: number): number {
    const read: Record<string, number> = {};
    for (const { type, value } of this.#format.formatToParts(epochSeconds * 1000)) read[type] = Number(value);
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = read;
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - epochSeconds;
  }
}

function open(timeZone: string | undefined): IntlTimeZone {
  return new IntlTimeZone(
    new Intl.DateTimeFormat("en-US-u-ca-iso8601-nu-latn", {
      timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    }),
  );
}

// Unlike Go's IANA database, Intl accepts bare offsets and names in any case.
const IANA_NAME = /^(?:[A-Z][A-Za-z0-9_+-]*)(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

export function systemTimeZones(): TimeZones {
  const opened = new Map<string, IntlTimeZone>();
  let local: IntlTimeZone | undefined;
  return {
    /** Created at first use, because that takes some milliseconds. */
    get local() {
      local ??= open(undefined);
      return local;
    },
    find(name) {
      const zone = opened.get(name) ?? tryOpen(name);
      if (zone !== undefined) opened.set(name, zone);
      return zone;
    },
  };
}

function tryOpen(name: string): IntlTimeZone | undefined {
  if (!IANA_NAME.test(name)) return undefined;
  try {
    return open(name);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
