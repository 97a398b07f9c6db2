import { describe, expect, it } from "vitest";
import type { Secret } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { dateOf, isGenerated, isIdle, parseDate, trackedSince, verdictOn } from "./verdict.ts";

const before = Date.UTC(2026, 5, 15, 12);

function token(created: string, labels: Record<string, string> = {}, more: object = {}): Stored<Secret> {
  const metadata = { name: "t", namespace: "ns", uid: "u", resourceVersion: "1", creationTimestamp: created, labels };
  return { type: "kubernetes.io/service-account-token", metadata: { ...metadata, ...more } };
}

const used = (date: string) => ({ "kubernetes.io/legacy-token-last-used": date });
const invalid = (date: string) => ({ "kubernetes.io/legacy-token-invalid-since": date });

describe("legacy tokens", () => {
  it.each([
    ["older than the period and never used", token("2026-06-15T11:59:59Z"), true],
    ["as old as the period", token("2026-06-15T12:00:00Z"), false],
    ["being deleted", token("2026-01-01T00:00:00Z", {}, { deletionTimestamp: "2026-06-01T00:00:00Z" }), false],
    ["of another type", { ...token("2026-01-01T00:00:00Z"), type: "Opaque" }, false],
    ["used the day before the period", token("2026-01-01T00:00:00Z", used("2026-06-14")), true],
    ["used on the first day of the period", token("2026-01-01T00:00:00Z", used("2026-06-15")), false],
    ["used on a date that cannot be read", token("2026-01-01T00:00:00Z", used("2026-6-1")), false],
    ["used on a day that does not exist", token("2026-01-01T00:00:00Z", used("2026-02-30")), false],
  ])("legacy-serviceaccount-token-cleaner/2, legacy-serviceaccount-token-cleaner/3 %s", (_, secret, expected) => {
    expect(isIdle(secret, before)).toBe(expected);
  });

  it.each([
    ["no mark", token("2026-01-01T00:00:00Z"), "mark"],
    ["a mark that cannot be read", token("2026-01-01T00:00:00Z", invalid("yesterday")), "mark"],
    ["a mark of the first day of the period", token("2026-01-01T00:00:00Z", invalid("2026-06-15")), "keep"],
    ["a mark from before the period", token("2026-01-01T00:00:00Z", invalid("2026-06-14")), "delete"],
  ])(
    "legacy-serviceaccount-token-cleaner/6, legacy-serviceaccount-token-cleaner/7, legacy-serviceaccount-token-cleaner/8 %s",
    (_, secret, expected) => {
      expect(verdictOn(secret, before)).toBe(expected);
    },
  );

  it("legacy-serviceaccount-token-cleaner/4 are generated when their account lists them", () => {
    const account = { metadata: { ...token("").metadata, name: "builder" }, secrets: [{ name: "t" }] };
    expect(isGenerated(token(""), account)).toBe(true);
    expect(isGenerated(token(""), { ...account, secrets: [{ name: "u" }] })).toBe(false);
    expect(isGenerated(token(""), undefined)).toBe(false);
  });

  it("legacy-serviceaccount-token-cleaner/1 are tracked from the day after the date", () => {
    expect(dateOf(trackedSince("2026-06-14"))).toBe("2026-06-15");
    expect(() => trackedSince(undefined)).toThrow("configMap does not have since label");
    expect(() => parseDate("2026-06-14T00:00:00Z")).toThrow('parsing time "2026-06-14T00:00:00Z"');
  });
});
