import { describe, expect, it } from "vitest";
import file from "#test/vectors/values-cron.json" with { type: "json" };
import { systemTimeZones } from "../system/time-zones.ts";

const recorded = new Map((file as unknown as { zones: [string, [number, number][]][] }).zones);

describe("the runtime's time zones", () => {
  const zones = systemTimeZones();

  it.each(["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kolkata"])(
    "%s changes when Go's does",
    (name) => {
      const zone = zones.find(name);
      const changes = recorded.get(name) ?? [];
      expect(changes.length).toBeGreaterThan(0);
      changes.forEach(([since, offset], i) => {
        expect(zone?.offsetAt(since)).toBe(offset);
        if (i > 0) expect(zone?.offsetAt(since - 1)).toBe(changes[i - 1]?.[1]);
      });
    },
  );

  it("are found only by their exact names", () => {
    expect(zones.find("US/Eastern")?.offsetAt(1704067200)).toBe(-18_000);
    expect(zones.find("Etc/GMT+5")?.offsetAt(0)).toBe(-18_000);
    for (const name of ["europe/berlin", "+01:00", "Mars/Base", "", "../etc/passwd"])
      expect(zones.find(name)).toBeUndefined();
  });
});
