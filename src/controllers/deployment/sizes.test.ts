import { describe, expect, it } from "vitest";
import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { IntOrString } from "#api/int-or-string.ts";
import { stored } from "#api/testing.ts";
import type { Deployment, ReplicaSet } from "./model.ts";
import {
  activeOrLatest,
  isSaturated,
  maxSurge,
  maxUnavailable,
  newSetSize,
  proportion,
  proportionalSizes,
} from "./sizes.ts";

const MAX = "deployment.kubernetes.io/max-replicas";
const DESIRED = "deployment.kubernetes.io/desired-replicas";

function deployment(
  replicas: number,
  surge: IntOrString,
  unavailable: IntOrString,
  type = "RollingUpdate",
): Deployment {
  const rollingUpdate = { maxSurge: surge, maxUnavailable: unavailable };
  const strategy = type === "RollingUpdate" ? { type, rollingUpdate } : { type };
  return stored(Deployments, {
    metadata: { name: "web", namespace: "default" },
    spec: { replicas, selector: {}, template: {}, strategy },
  });
}

function set(
  name: string,
  replicas: number,
  more: { annotations?: Record<string, string>; available?: number; age?: number } = {},
): ReplicaSet {
  const { annotations = {}, available = 0, age = 0 } = more;
  const creationTimestamp = `2026-01-01T00:00:${String(59 - age).padStart(2, "0")}Z`;
  return stored(ReplicaSets, {
    metadata: { name, namespace: "default", annotations, creationTimestamp },
    spec: { replicas, selector: {} },
    status: { replicas, availableReplicas: available },
  });
}

describe("how far a rollout may go", () => {
  it.each<[number, IntOrString, IntOrString, number, number]>([
    [10, "25%", "25%", 3, 2],
    [10, 0, 0, 0, 1],
    [1, "0%", "10%", 0, 1],
    [3, 5, 9, 5, 3],
    [0, "50%", "50%", 0, 0],
    [4, "100%", "0%", 4, 0],
  ])("deployment/12 of %d replicas, surge %s and unavailable %s", (replicas, surge, unavailable, more, less) => {
    const given = deployment(replicas, surge, unavailable);
    expect([maxSurge(given), maxUnavailable(given)]).toEqual([more, less]);
  });

  it("deployment/12 does neither when it recreates", () => {
    const given = deployment(3, 0, 0, "Recreate");
    expect([maxSurge(given), maxUnavailable(given)]).toEqual([0, 0]);
  });

  it.each([
    [10, 2, 0, 10, 2],
    [10, 2, 5, 12, 5],
    [10, 2, 0, 0, 10],
    [10, 2, 8, 9, 10],
    [2, 1, 1, 3, 1],
  ])(
    "deployment/6, deployment/13 %d replicas with surge %d: a new set of %d among %d grows to %d",
    (replicas, surge, current, total, size) => {
      expect(newSetSize(deployment(replicas, surge, 0), current, total)).toBe(size);
    },
  );

  it("deployment/6 refuses an unknown strategy", () => {
    expect(() => newSetSize(deployment(1, 0, 0, "Blue"), 0, 0)).toThrow("deployment type Blue isn't supported");
  });
});

describe("which ReplicaSets get a new size", () => {
  const [older, newer] = [set("older", 0, { age: 9 }), set("newer", 0, { age: 1 })];

  it("deployment/11 the only active one, the new one, or the youngest", () => {
    expect(activeOrLatest(newer, [set("active", 2)])?.metadata.name).toBe("active");
    expect(activeOrLatest(newer, [older])?.metadata.name).toBe("newer");
    expect(activeOrLatest(undefined, [older, newer])?.metadata.name).toBe("newer");
    expect(activeOrLatest(set("new", 1), [set("old", 1)])).toBeUndefined();
  });

  it("deployment/11 a new set is saturated when size, annotation and available replicas agree", () => {
    const full = set("new", 3, { annotations: { [DESIRED]: "3" }, available: 3 });
    expect(isSaturated(deployment(3, 1, 0), full)).toBe(true);
    expect(isSaturated(deployment(4, 1, 0), full)).toBe(false);
    expect(isSaturated(deployment(3, 1, 0), set("new", 3, { available: 3 }))).toBe(false);
    expect(isSaturated(deployment(3, 1, 0), undefined)).toBe(false);
  });

  const sizes = (given: Deployment, sets: readonly ReplicaSet[]): Record<string, number> =>
    Object.fromEntries(proportionalSizes(given, sets).map(({ set, size }) => [set.metadata.name, size]));
  const annotations = { [MAX]: "13" };

  it("deployment/11 in proportion to their sizes, the rest to the largest", () => {
    const sets = [set("old", 8, { annotations, age: 9 }), set("new", 5, { annotations })];
    expect(sizes(deployment(30, 3, 2), sets)).toEqual({ old: 20, new: 13 });
    expect(sizes(deployment(5, 3, 2), sets)).toEqual({ old: 5, new: 3 });
    expect(sizes(deployment(0, 3, 2), sets)).toEqual({ old: 0, new: 0 });
    expect(sizes(deployment(10, 3, 2), sets)).toEqual({ old: 8, new: 5 });
  });

  it("deployment/11 of equals the newer grows first and the older shrinks first", () => {
    const sets = [
      set("old", 1, { annotations: { [MAX]: "2" }, age: 9 }),
      set("new", 1, { annotations: { [MAX]: "2" } }),
    ];
    expect(sizes(deployment(3, 0, 1), sets)).toEqual({ new: 2, old: 1 });
    expect(sizes(deployment(1, 0, 1), sets)).toEqual({ old: 0, new: 1 });
  });

  it("deployment/traps multiplies as 32-bit integers do, which wrap", () => {
    expect(proportion(set("old", 65536, { annotations: { [MAX]: "65536" } }), deployment(65537, 0, 1), 1, 0)).toBe(
      -65535,
    );
  });
});
