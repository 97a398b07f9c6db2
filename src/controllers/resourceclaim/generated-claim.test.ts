import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceClaimTemplates } from "#api/generated/resources/resource-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { ResourceClaim } from "#api/generated/types/resource-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { stored } from "#api/testing.ts";
import { consumerOf } from "./consumer.ts";
import type { Claim } from "./deps.ts";
import { generatedClaim, generateNameOf, hasPrioritizedList, owningPod, wantsAdminAccess } from "./generated-claim.ts";
import { countsOf } from "./metrics.ts";

const owner: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "web", uid: "1", controller: true };
const request = (exactly: object) => ({
  devices: { requests: [{ name: "a", exactly: { deviceClassName: "c", ...exactly } }] },
});

describe("resourceclaim/4", () => {
  it("makes a claim of a template, without changing the template", () => {
    const spec = request({});
    const template = stored(ResourceClaimTemplates, {
      metadata: { name: "gpu", namespace: "default" },
      spec: { spec },
    });
    expect(generatedClaim(owner, "card", template)).toEqual({
      metadata: {
        generateName: "web-card-",
        annotations: { "resource.kubernetes.io/pod-claim-name": "card" },
        ownerReferences: [owner],
      },
      spec,
    });
    expect(template.spec.metadata).toBeUndefined();
  });

  it.each([
    ["a".repeat(30), "b".repeat(25), `${"a".repeat(30)}-${"b".repeat(25)}-`],
    ["a".repeat(30), "b".repeat(26), `${"a".repeat(29)}-${"b".repeat(25)}`],
    ["a".repeat(253), "b".repeat(63), `${"a".repeat(45)}-${"b".repeat(11)}`],
  ])("names the claim after %s and %s", (pod, entry, expected) => {
    expect(generateNameOf(pod, entry)).toBe(expected);
    expect(expected.length).toBeLessThanOrEqual(57);
  });
});

describe("resourceclaim/6, resourceclaim/tests", () => {
  it("knows templates that need a gate", () => {
    expect(wantsAdminAccess({ spec: request({ adminAccess: true }) })).toBe(true);
    expect(wantsAdminAccess({ spec: request({ adminAccess: false }) })).toBe(false);
    expect(wantsAdminAccess({ spec: {} })).toBe(false);
    const firstAvailable = [{ name: "b", deviceClassName: "c" }];
    expect(hasPrioritizedList({ spec: { devices: { requests: [{ name: "a", firstAvailable }] } } })).toBe(true);
    expect(hasPrioritizedList({ spec: request({}) })).toBe(false);
  });
});

describe("resourceclaim/7, resourceclaim/12", () => {
  const pod = stored(Pods, { metadata: { name: "web", namespace: "default", uid: "1" }, spec: { containers: [] } });
  const group = stored(PodGroups, {
    metadata: { name: "gang", namespace: "default", uid: "2" },
    spec: {
      schedulingPolicy: {},
      resourceClaims: [
        { name: "card", resourceClaimTemplateName: "gpu" },
        { name: "disk", resourceClaimName: "ssd" },
      ],
    },
  });
  const ofGroup = { apiGroup: "scheduling.k8s.io", resource: "podgroups", name: "gang", uid: "2" };
  const ofPod = { resource: "pods", name: "web", uid: "1" };

  it("binds a claim to the group that has the same entry, else to the pod", () => {
    expect(consumerOf(pod, group, { name: "card", resourceClaimTemplateName: "gpu" })).toEqual(ofGroup);
    expect(consumerOf(pod, group, { name: "disk", resourceClaimName: "ssd" })).toEqual(ofGroup);
    expect(consumerOf(pod, group, { name: "card", resourceClaimName: "gpu" })).toEqual(ofPod);
    expect(consumerOf(pod, group, { name: "other", resourceClaimTemplateName: "gpu" })).toEqual(ofPod);
    expect(consumerOf(pod, undefined, { name: "card", resourceClaimTemplateName: "gpu" })).toEqual(ofPod);
  });

  it("refuses entries of later versions", () => {
    expect(() => consumerOf(pod, group, { name: "card" })).toThrow(
      "Pod default/web claim card: none of the supported fields are set",
    );
    const later = stored(PodGroups, { ...group, spec: { schedulingPolicy: {}, resourceClaims: [{ name: "new" }] } });
    expect(() => consumerOf(pod, later, { name: "card", resourceClaimName: "a" })).toThrow(
      "PodGroup default/gang claim new: none of the supported fields are set",
    );
  });
});

describe("resourceclaim/metrics", () => {
  const claim = (
    annotations: Record<string, string>,
    more: Partial<Pick<ResourceClaim, "spec" | "status">> = {},
  ): Claim =>
    stored(ResourceClaims, {
      metadata: { name: "c", namespace: "default", annotations, ownerReferences: [owner] },
      spec: {},
      ...more,
    });

  it("counts claims by allocation, admin access and source", () => {
    const made = { "resource.kubernetes.io/pod-claim-name": "card" };
    const extended = { "resource.kubernetes.io/extended-resource-claim": "true" };
    const counts = countsOf([
      claim({}),
      claim(made),
      claim(made, { status: { allocation: {} } }),
      claim({ ...made, ...extended }),
      claim(made, { spec: request({ adminAccess: true }) }),
      claim({}),
    ]);
    expect(counts).toEqual([
      { labelValues: ["false", "false", ""], value: 2 },
      { labelValues: ["false", "false", "resource_claim_template"], value: 1 },
      { labelValues: ["true", "false", "resource_claim_template"], value: 1 },
      { labelValues: ["false", "false", "extended_resource"], value: 1 },
      { labelValues: ["false", "true", "resource_claim_template"], value: 1 },
    ]);
  });

  it("finds the pod that controls a claim", () => {
    expect(owningPod(claim({}))).toEqual(owner);
    const other = { ...owner, apiVersion: "example.com/v1" };
    expect(owningPod(stored(ResourceClaims, { metadata: { name: "c", ownerReferences: [other] }, spec: {} }))).toBe(
      undefined,
    );
  });
});
