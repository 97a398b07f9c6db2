import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { activeGroupOf, groupsToCheck } from "./pod-groups.ts";

const pod = (uid: string, phase: string, podGroupName: string | undefined = "gang"): Stored<Pod> =>
  stored(Pods, {
    metadata: { name: "web", namespace: "default", uid },
    spec: { containers: [], ...(podGroupName === "" ? {} : { schedulingGroup: { podGroupName } }) },
    status: { phase },
  });

describe("podgroup-protection/3, podgroup-protection/tests", () => {
  it("finds the group that a pod keeps", () => {
    expect(activeGroupOf(pod("1", "Running"))).toEqual(["default/gang"]);
    expect(activeGroupOf(pod("1", "Pending"))).toEqual(["default/gang"]);
    expect(activeGroupOf(pod("1", "Succeeded"))).toEqual([]);
    expect(activeGroupOf(pod("1", "Failed"))).toEqual([]);
    expect(activeGroupOf(pod("1", "Running", ""))).toEqual([]);
  });

  it("checks the group of a pod that ends or is deleted", () => {
    expect(groupsToCheck(undefined, pod("1", "Running"))).toEqual([]);
    expect(groupsToCheck(undefined, pod("1", "Failed"))).toEqual(["default/gang"]);
    expect(groupsToCheck(pod("1", "Pending"), pod("1", "Running"))).toEqual([]);
    expect(groupsToCheck(pod("1", "Running"), pod("1", "Succeeded"))).toEqual(["default/gang"]);
    expect(groupsToCheck(pod("1", "Running"), undefined)).toEqual(["default/gang"]);
    expect(groupsToCheck(pod("1", "Running", ""), undefined)).toEqual([]);
  });

  it("checks the group of the pod that another one replaced", () => {
    expect(groupsToCheck(pod("1", "Running", "old"), pod("2", "Running", "new"))).toEqual(["default/old"]);
  });
});
