import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { objectKey } from "#api/object.ts";
import type { Draft, ObjectOf, StoredObject } from "#api/resource.ts";
import { newNotFound } from "#api/status-error.ts";
import { stored } from "#api/testing.ts";
import { errorMessage } from "#base/errors.ts";
import type { Lister } from "#informers/informer.ts";
import given from "#test/vectors/disruption.json" with { type: "json" };
import { countHealthy, disruptions, needsScale, newStatus, podCounts } from "./budget.ts";
import { expectedScale } from "./expected-scale.ts";
import type { Budget, ScaleDeps, StoredPod } from "./model.ts";
import { staleAfterMs } from "./stale-targets.ts";

interface Vector {
  readonly budget: Draft<Budget>;
  readonly pods: readonly Draft<StoredPod>[] | null;
  readonly replicaSets: readonly Draft<ObjectOf<typeof ReplicaSets>>[];
}

const NOW = 1_800_000_000_000;
const { signal } = new AbortController();

function cache<T extends StoredObject>(objects: readonly T[]): { readonly lister: Lister<T> } {
  const get = (key: string): T | undefined => objects.find((object) => objectKey(object) === key);
  return { lister: { list: () => objects, get, require: (key) => get(key) as T } };
}

function depsWith(replicaSets: readonly ObjectOf<typeof ReplicaSets>[] = [], isScaleServed = true): ScaleDeps {
  const notFound = () => Promise.reject(newNotFound({ group: "example.com", resource: "widgets" }, "web"));
  return {
    workloads: {
      replicationControllers: cache([]),
      replicaSets: cache(replicaSets),
      deployments: cache([]),
      statefulSets: cache([]),
    },
    restMapper: { mapping: async () => ({ ...Pods, group: "example.com", resource: "widgets" }) as never },
    scales: { get: notFound, isServed: async () => isScaleServed },
  };
}

async function decide(budget: Budget, pods: readonly StoredPod[], deps: ScaleDeps) {
  const spec = budget.spec ?? {};
  try {
    const scale = needsScale(spec) ? (await expectedScale(pods, deps, signal)).expected : 0;
    const counts = podCounts(spec, pods.length, scale);
    const disrupted = disruptions(budget.status?.disruptedPods ?? {}, pods, NOW);
    const status = newStatus(budget, counts, countHealthy(pods, disrupted.pods, NOW), disrupted.pods, NOW);
    const { recheckAt } = disrupted;
    return { ...(status && { status }), ...(recheckAt !== undefined && { recheck: recheckAt / 1000 }) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

describe("budgets", () => {
  it("disruption/4, disruption/6, disruption/7, disruption/8, disruption/9 come to the status that upstream comes to", async () => {
    for (const { budget, pods, replicaSets, ...expected } of given as readonly Vector[]) {
      const sets = replicaSets.map((set) => stored(ReplicaSets, set));
      const selected = (pods ?? []).map((pod) => stored(Pods, pod));
      const storedBudget = stored(PodDisruptionBudgets, budget);
      expect(await decide(storedBudget, selected, depsWith(sets)), JSON.stringify(budget)).toEqual(expected);
    }
  });
});

describe("evicted pods", () => {
  it("disruption/7 are found by their own names, not by the names of inherited members", () => {
    const pod = stored(Pods, {
      metadata: { name: "constructor" },
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
    expect(disruptions({}, [pod], NOW)).toEqual({ pods: {}, overdue: [] });
    expect(countHealthy([pod], {}, NOW)).toBe(1);
    const evicted = { constructor: "2027-01-15T07:59:30Z" };
    expect(disruptions(evicted, [pod], NOW)).toMatchObject({ pods: evicted, overdue: [] });
    expect(countHealthy([pod], evicted, NOW)).toBe(0);
  });
});

describe("the size of a custom kind", () => {
  const owner = { apiVersion: "example.com/v1", kind: "Widget", name: "web", uid: "1", controller: true };
  const pod = stored(Pods, { metadata: { name: "one", ownerReferences: [owner] } });

  it("disruption/5 is missing when its object is, and is an error when the kind has no scale", async () => {
    await expect(expectedScale([pod], depsWith(), signal)).rejects.toThrow('found no controllers for pod "one"');
    await expect(expectedScale([pod], depsWith([], false), signal)).rejects.toThrow(
      "widgets.example.com does not implement the scale subresource",
    );
  });
});

describe("the controller of a pod", () => {
  it("disruption/5 does not take a successor of the same name for the controller", async () => {
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web", uid: "old", controller: true };
    const pod = stored(Pods, { metadata: { name: "one", ownerReferences: [owner] } });
    const successor = stored(ReplicaSets, {
      metadata: { name: "web", uid: "new" },
      spec: { selector: {}, replicas: 3 },
    });
    await expect(expectedScale([pod], depsWith([successor]), signal)).rejects.toThrow("found no controllers");
  });
});

describe("announced disruptions", () => {
  const since = "2027-01-15T07:59:00Z"; // a minute before now
  const podWith = (condition: object, phase = "Running", more: object = {}): StoredPod =>
    stored(Pods, {
      metadata: { name: "one", ...more },
      status: { phase, conditions: [{ type: "DisruptionTarget", status: "True", ...condition }] },
    });

  it.each([
    ["for another minute", podWith({ lastTransitionTime: since }), 60_000],
    ["no longer", podWith({ lastTransitionTime: "2027-01-15T07:50:00Z" }), 0],
    ["no longer without a time", podWith({}), 0],
    ["for ever by a kubelet", podWith({ reason: "TerminationByKubelet" }), undefined],
    ["for ever after the end", podWith({}, "Failed"), undefined],
    ["for ever while it is deleted", podWith({}, "Running", { deletionTimestamp: since }), undefined],
    ["not when taken back", podWith({ status: "False" }), undefined],
  ])("disruption/11 are believed %s", (_, pod, expected) => {
    expect(staleAfterMs(pod, NOW)).toBe(expected);
  });
});
