// Cron schedules against robfig/cron's answers (tools/go/vectors-values), in recorded time zones.

import { describe, expect, it } from "vitest";
import { parseCron } from "#api/cron.ts";
import { loadTimeZone } from "#api/time-zone.ts";
import { type TimeZone, type TimeZones, UTC, UTC_ONLY } from "#base/time-zones.ts";
import file from "#test/vectors/values-cron.json" with { type: "json" };
import { differences, outcome } from "./vector-outcome.ts";

type Row = readonly unknown[];
const { zones: zoneRows = [], specs = [] } = file as unknown as Readonly<Record<string, readonly Row[]>>;

class RecordedZone implements TimeZone {
  readonly #changes: readonly (readonly [number, number])[];
  constructor(changes: readonly (readonly [number, number])[]) {
    this.#changes = changes;
  }
  offsetAt(epochSeconds: number): number {
    return this.#changes.findLast(([since]) => since <= epochSeconds)?.[1] ?? 0;
  }
}

const recorded = new Map(zoneRows.map(([name, changes]) => [name, new RecordedZone(changes as [number, number][])]));
const zones: TimeZones = { find: (name) => recorded.get(name), local: UTC };

describe("cron", () => {
  it("reads schedules and finds the next times as robfig/cron does", () => {
    expect(specs.length).toBeGreaterThanOrEqual(300);
    const ours = ([spec, expected]: Row): unknown =>
      outcome(() => {
        const schedule = parseCron(spec as string, zones);
        return (expected as number[][]).map((chain) => {
          const times: (number | null)[] = [chain[0] ?? 0];
          for (let at = times[0]; typeof at === "number" && times.length < chain.length; at = times.at(-1)) {
            const next = schedule.next(at * 1000);
            times.push(next === undefined ? null : next / 1000);
          }
          return times;
        });
      });
    expect(differences(specs, (row) => row[1], ours)).toEqual([]);
  });

  it("starts from the next whole second", () => {
    const minutely = parseCron("* * * * *", UTC_ONLY);
    expect(minutely.next(59_000)).toBe(60_000);
    expect(minutely.next(59_999.5)).toBe(60_000);
    expect(minutely.next(60_000)).toBe(120_000);
    expect(parseCron("@every 10s", UTC_ONLY).next(1_500)).toBe(11_000);
  });

  it("refuses a time zone without a schedule", () => {
    expect(() => parseCron("TZ=UTC", UTC_ONLY)).toThrow("expected exactly 5 fields, found 0");
  });

  it("loads zones as Go does", () => {
    expect(loadTimeZone(UTC_ONLY, "")).toBe(UTC);
    expect(loadTimeZone(UTC_ONLY, "UTC")).toBe(UTC);
    expect(loadTimeZone(zones, "Local")).toBe(UTC);
    expect(() => loadTimeZone(UTC_ONLY, "Mars/Base")).toThrow("unknown time zone Mars/Base");
    expect(() => loadTimeZone(UTC_ONLY, "/etc/x")).toThrow("time: invalid location name");
  });
});
