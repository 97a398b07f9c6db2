import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims } from "#api/generated/resources/resource-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaim } from "#api/generated/types/resource-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import type { Stored } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { claimOfEntry, isForPod, isReservedForPod } from "./claims-of-users.ts";

const pod: Stored<Pod> = stored(Pods, {
  metadata: { name: "web", namespace: "default", uid: "pod-uid" },
  spec: { containers: [], schedulingGroup: { podGroupName: "gang" } },
  status: { resourceClaimStatuses: [{ name: "made", resourceClaimName: "web-made-1" }, { name: "skipped" }] },
});

const claim = (owner?: Partial<OwnerReference>, status?: ResourceClaim["status"]): Stored<ResourceClaim> =>
  stored(ResourceClaims, {
    metadata: {
      name: "web-made-1",
      namespace: "default",
      ...(owner === undefined
        ? {}
        : {
            ownerReferences: [
              { apiVersion: "v1", kind: "Pod", name: "web", uid: "pod-uid", controller: true, ...owner },
            ],
          }),
    },
    spec: {},
    ...(status === undefined ? {} : { status }),
  });

describe("resourceclaim/tests, device-taint-eviction/4", () => {
  it("finds the claim of an entry", () => {
    const template = { resourceClaimTemplateName: "gpu" };
    expect(claimOfEntry(pod, { name: "a", resourceClaimName: "shared" })).toEqual({
      kind: "named",
      name: "shared",
      isGenerated: false,
    });
    expect(claimOfEntry(pod, { name: "made", ...template })).toEqual({
      kind: "named",
      name: "web-made-1",
      isGenerated: true,
    });
    expect(claimOfEntry(pod, { name: "skipped", ...template })).toEqual({ kind: "notNeeded" });
    expect(claimOfEntry(pod, { name: "other", ...template })).toEqual({ kind: "notCreated" });
    expect(claimOfEntry(pod, { name: "future" })).toEqual({ kind: "unsupported" });
  });

  it("finds the pod that a claim was created for", () => {
    const ofGroup = { apiVersion: "scheduling.k8s.io/v9", kind: "PodGroup", name: "gang", uid: "group-uid" };
    expect(isForPod(pod, claim({}), false)).toBe(true);
    expect(isForPod(pod, claim({ uid: "other" }), false)).toBe(false);
    expect(isForPod(pod, claim({ controller: false }), true)).toBe(false);
    expect(isForPod(pod, claim(), true)).toBe(false);
    expect(isForPod(pod, claim(ofGroup), true)).toBe(true);
    expect(isForPod(pod, claim(ofGroup), false)).toBe(false);
    expect(isForPod(pod, claim({ ...ofGroup, name: "other" }), true)).toBe(false);
    expect(isForPod(pod, claim({ ...ofGroup, apiVersion: "example.com/v1" }), true)).toBe(false);
    expect(isForPod(stored(Pods, { ...pod, spec: { containers: [] } }), claim(ofGroup), true)).toBe(false);
  });

  it("finds whether a claim is reserved for a pod or its group", () => {
    const group = { apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "gang", uid: "group-uid" };
    const reserved = (consumer: typeof group | { resource: string; name: string; uid: string }) =>
      claim({}, { reservedFor: [consumer] });
    expect(isReservedForPod(pod, reserved({ resource: "pods", name: "web", uid: "pod-uid" }), false)).toBe(true);
    expect(isReservedForPod(pod, reserved({ resource: "pods", name: "web", uid: "other" }), true)).toBe(false);
    expect(isReservedForPod(pod, reserved(group), true)).toBe(true);
    expect(isReservedForPod(pod, reserved(group), false)).toBe(false);
    expect(isReservedForPod(pod, claim({}), true)).toBe(false);
  });
});
