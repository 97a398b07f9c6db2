import { beforeEach, describe, expect, it } from "vitest";
import { conflictMessage, VolumeUsers } from "./volume-users.ts";

const use = (label: string, policy: "MountOption" | "Recursive" = "MountOption") => ({ label, policy });

describe("selinux-warning/5, selinux-warning/tests pods that use a volume", () => {
  let users: VolumeUsers;
  const pairs = (conflicts: ReturnType<VolumeUsers["conflicts"]>) =>
    conflicts.map(({ property, pod, value, otherPod, otherValue }) => [property, pod, value, otherPod, otherValue]);
  beforeEach(() => {
    users = new VolumeUsers();
    expect(users.add("v", "ns/a", use(":::s0:c1"), "driver")).toEqual([]);
  });

  it("conflict in both directions, by policy first", () => {
    expect(pairs(users.add("v", "ns/b", use("", "Recursive"), "driver"))).toEqual([
      ["SELinuxChangePolicy", "ns/b", "Recursive", "ns/a", "MountOption"],
      ["SELinuxChangePolicy", "ns/a", "MountOption", "ns/b", "Recursive"],
      ["SELinuxLabel", "ns/b", "", "ns/a", ":::s0:c1"],
      ["SELinuxLabel", "ns/a", ":::s0:c1", "ns/b", ""],
    ]);
  });

  it("are reported once, and again when their use has changed", () => {
    expect(users.add("v", "ns/b", use(":::s0:c2"), "driver")).toHaveLength(2);
    expect(users.add("v", "ns/b", use(":::s0:c2"), "driver")).toEqual([]);
    expect(users.add("v", "ns/b", use(":::s0:c3"), "driver")).toHaveLength(2);
    expect(users.add("v", "ns/b", use(":::s0:c1"), "driver")).toEqual([]);
    expect(users.conflicts()).toEqual([]);
  });

  it("do not conflict over other volumes", () => {
    expect(users.add("w", "ns/b", use(":::s0:c2"), "driver")).toEqual([]);
  });

  it("selinux-warning/2 are forgotten with all their volumes", () => {
    users.add("w", "ns/a", use(":::s0:c1"), undefined);
    users.remove("ns/a");
    users.remove("ns/a");
    expect(users.add("v", "ns/b", use(":::s0:c2"), "driver")).toEqual([]);
    expect(users.add("w", "ns/b", use(":::s0:c2"), undefined)).toEqual([]);
    expect(users.podsOfDriver("driver")).toEqual(["ns/b"]);
  });

  it("selinux-warning/1 are found by the driver of their volumes", () => {
    users.add("w", "ns/a", use(":::s0:c1"), "driver");
    users.add("x", "ns/b", use(":::s0:c1"), undefined);
    expect([users.podsOfDriver("driver"), users.podsOfDriver("other")]).toEqual([["ns/a"], []]);
  });

  it("selinux-warning/metrics count each conflict in both directions, as long as it lasts", () => {
    users.add("v", "ns/b", use(":::s0:c2"), "driver");
    users.add("v", "other/c", use(":::s0:c1"), "driver");
    expect(pairs(users.conflicts())).toEqual([
      ["SELinuxLabel", "ns/a", ":::s0:c1", "ns/b", ":::s0:c2"],
      ["SELinuxLabel", "ns/b", ":::s0:c2", "ns/a", ":::s0:c1"],
      ["SELinuxLabel", "other/c", ":::s0:c1", "ns/b", ":::s0:c2"],
      ["SELinuxLabel", "ns/b", ":::s0:c2", "other/c", ":::s0:c1"],
    ]);
    users.remove("ns/b");
    expect(users.conflicts()).toEqual([]);
  });
});

it("selinux-warning/events, selinux-warning/traps names the other pod only in its own namespace", () => {
  const conflict = { property: "SELinuxLabel", pod: "ns/a", value: "x", otherPod: "ns/b", otherValue: "y" } as const;
  const outcome = "If both pods land on the same node, only one of them may access the volume.";
  expect(conflictMessage(conflict)).toBe(
    `SELinuxLabel "x" conflicts with pod b that uses the same volume as this pod with SELinuxLabel "y". ${outcome}`,
  );
  expect(conflictMessage({ ...conflict, otherPod: "other/b" })).toBe(
    `SELinuxLabel"x" conflicts with another pod that uses the same volume as this pod with a different SELinuxLabel. ${outcome}`,
  );
});
