import { describe, expect, it } from "vitest";
import { withServers } from "./encoding-version.ts";

const server = (apiServerID: string, encodingVersion: string) => ({
  apiServerID,
  encodingVersion,
  decodableVersions: [],
});
const metadata = { name: "example.com.things", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 3 };
const now = Date.UTC(2026, 0, 2);
const NOW = "2026-01-02T00:00:00Z";
const BEFORE = "2026-01-01T00:00:00Z";
const condition = (status: string, lastTransitionTime: string, type = "AllEncodingVersionsEqual") => ({
  type,
  status,
  reason: "Old",
  message: "old",
  lastTransitionTime,
});

describe("storageversion-garbage-collector/3 the common encoding version", () => {
  it("is set when all servers agree", () => {
    const { status } = withServers({ metadata }, [server("a", "v1"), server("b", "v1")], now);
    expect(status?.commonEncodingVersion).toBe("v1");
    expect(status?.conditions).toEqual([
      {
        type: "AllEncodingVersionsEqual",
        status: "True",
        reason: "CommonEncodingVersionSet",
        message: "Common encoding version set",
        observedGeneration: 3,
        lastTransitionTime: NOW,
      },
    ]);
  });

  it("is unset when they do not", () => {
    const status = { commonEncodingVersion: "v1", conditions: [condition("True", BEFORE)] };
    const changed = withServers({ metadata, status }, [server("a", "v1"), server("b", "v2")], now).status;
    expect(changed?.commonEncodingVersion).toBeUndefined();
    expect(changed?.conditions?.[0]).toMatchObject({ status: "False", lastTransitionTime: NOW });
  });

  it.each([
    ["stays when the version does", "v1", BEFORE],
    ["moves with the version", "v2", NOW],
  ])("the time of transition %s", (_, version, expected) => {
    const other = condition("Unknown", BEFORE, "Other");
    const status = { commonEncodingVersion: "v1", conditions: [condition("True", BEFORE), other] };
    const changed = withServers({ metadata, status }, [server("a", version)], now).status;
    expect(changed?.conditions?.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual([expected, BEFORE]);
    expect(changed?.conditions?.[1]).toEqual(other);
  });
});
