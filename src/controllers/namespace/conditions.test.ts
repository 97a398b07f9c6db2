import { describe, expect, it } from "vitest";
import type { NamespaceCondition } from "#api/generated/types/core-v1.ts";
import { GroupDiscoveryFailed } from "#client/discovery.ts";
import { type Findings, withDeletionConditions } from "./conditions.ts";

const BEGAN = Date.UTC(2026, 0, 1);
const LATER = Date.UTC(2026, 0, 2);
const nothing: Findings = { deletionErrors: [], remaining: [] };
const fine = withDeletionConditions([], nothing, BEGAN);
const configMaps = { group: "", resource: "configmaps" };

const problems = (conditions: readonly NamespaceCondition[]): readonly string[] =>
  conditions.filter(({ status }) => status === "True").map(({ reason, message }) => `${reason}: ${message}`);

describe("the conditions of a namespace that is being deleted", () => {
  it("namespace/12 are five in their order, all fine when nothing is in the way", () => {
    expect(fine.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered",
      "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions",
      "NamespaceDeletionContentFailure False ContentDeleted",
      "NamespaceContentRemaining False ContentRemoved",
      "NamespaceFinalizersRemaining False ContentHasNoFinalizers",
    ]);
    expect(fine[0]?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
  });

  it("namespace/14 are the same array when nothing changes", () => {
    expect(withDeletionConditions(fine, nothing, LATER)).toBe(fine);
  });

  it.each<[string, Partial<Findings>, readonly string[]]>([
    [
      "groups that cannot be discovered, counted and in order",
      {
        discoveryError: new GroupDiscoveryFailed(
          new Map([
            ["b/v1", new Error("away")],
            ["a/v1", new Error("stale")],
          ]),
        ),
      },
      [
        "DiscoveryFailed: Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a/v1: stale, b/v1: away",
      ],
    ],
    ["no discovery at all", { discoveryError: new Error("no answer") }, ["DiscoveryFailed: no answer"]],
    [
      "a group version that is none",
      { parsingError: new Error("unexpected GroupVersion string: a/b/c") },
      ["GroupVersionParsingFailed: unexpected GroupVersion string: a/b/c"],
    ],
    [
      "failures in the order of their texts, equal ones too",
      { deletionErrors: [new Error("b"), new Error("a"), new Error("b")] },
      ["ContentDeletionFailed: Failed to delete all resource types, 3 remaining: a, b, b"],
    ],
    [
      "what remains, and the finalizers over all resources",
      {
        remaining: [
          { resource: { group: "example.com", resource: "widgets" }, count: 2, finalizers: new Map([["x/y", 2]]) },
          { resource: { group: "", resource: "secrets" }, count: 0, finalizers: new Map() },
          {
            resource: configMaps,
            count: 1,
            finalizers: new Map([
              ["x/y", 1],
              ["a/b", 1],
            ]),
          },
        ],
      },
      [
        "SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances, widgets.example.com has 2 resource instances",
        "SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/b in 1 resource instances, x/y in 3 resource instances",
      ],
    ],
    [
      "objects without finalizers",
      { remaining: [{ resource: configMaps, count: 1, finalizers: new Map() }] },
      ["SomeResourcesRemain: Some resources are remaining: configmaps. has 1 resource instances"],
    ],
  ])("namespace/13, namespace/tests name %s", (_, findings, expected) => {
    expect(problems(withDeletionConditions([], { ...nothing, ...findings }, BEGAN))).toEqual(expected);
  });

  it("namespace/14 keep their place and those of others, and change their time with their status alone", () => {
    const other = { type: "Other", status: "True" };
    const failing = withDeletionConditions([other, ...fine], { ...nothing, deletionErrors: [new Error("a")] }, LATER);
    expect(failing.map(({ type }) => type)).toEqual(["Other", ...fine.map(({ type }) => type)]);
    expect(failing[3]).toMatchObject({ status: "True", lastTransitionTime: "2026-01-02T00:00:00Z" });
    expect(failing[4]).toBe(fine[3]);
    const still = withDeletionConditions(failing, { ...nothing, deletionErrors: [new Error("b")] }, LATER + 1000);
    expect(still[3]).toMatchObject({ lastTransitionTime: "2026-01-02T00:00:00Z" });
    expect(still[3]?.message).toContain(": b");
    const again = withDeletionConditions(still, nothing, LATER + 1000);
    expect(again[3]).toMatchObject({ status: "False", lastTransitionTime: "2026-01-02T00:00:01Z" });
  });
});
