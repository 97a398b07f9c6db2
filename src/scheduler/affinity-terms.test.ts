import { describe, expect, it } from "vitest";
import type { PodAffinityTerm } from "#api/generated/types/core-v1.ts";
import { seededRng } from "#base/seeded-rng.ts";
import { type AffinityTerm, affinityTerms, termMatches, withSelectedNamespaces } from "./affinity-terms.ts";
import { NodeChooser } from "./choose-node.ts";
import { ClusterState } from "./cluster-state.ts";
import { podFacts } from "./pod-facts.ts";
import { clusterObjects, objectsIn, testNode, testPod } from "./testing.ts";

const affinity = (term: Omit<PodAffinityTerm, "topologyKey">) => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: "zone", ...term }] },
});
const namespace = (name: string, labels: Readonly<Record<string, string>>) => ({
  metadata: { ...testNode(name).metadata, labels },
});
const namespaces = objectsIn([namespace("own", {}), namespace("a", { team: "a" }), namespace("b", { team: "b" })]);

/** The namespaces whose pods the term of a pod in "own" matches. */
function matched(term: Omit<PodAffinityTerm, "topologyKey">): readonly string[] {
  const { requiredAffinity } = affinityTerms(affinity({ labelSelector: {}, ...term }), "own");
  const [resolved] = withSelectedNamespaces<AffinityTerm>(requiredAffinity, namespaces);
  return ["own", "a", "b"].filter((name) => resolved && termMatches(resolved, { namespace: name, labels: {} }));
}

describe("the namespaces of a term", () => {
  it.each([
    ["the pod's own without any", {}, ["own"]],
    ["those that are named", { namespaces: ["b"] }, ["b"]],
    [
      "those that are selected, and those that are named",
      { namespaces: ["b"], namespaceSelector: { matchLabels: { team: "a" } } },
      ["a", "b"],
    ],
    ["all with an empty selector", { namespaceSelector: {} }, ["own", "a", "b"]],
  ] as const)("%s", (_, term, expected) => {
    expect(matched(term as Omit<PodAffinityTerm, "topologyKey">)).toEqual([...expected]);
  });

  it("a term without a label selector matches no pod", () => {
    const { requiredAffinity } = affinityTerms(affinity({}), "own");
    expect(requiredAffinity.some((term) => termMatches(term, { namespace: "own", labels: {} }))).toBe(false);
  });
});

it("an invalid selector rejects the pod, and is ignored on a scheduled pod", () => {
  const broken = affinity({ labelSelector: { matchExpressions: [{ key: "a", operator: "Near", values: [] }] } });
  const state = new ClusterState();
  state.setNode(testNode("n"));
  state.setPod(podFacts(testPod("bound", { affinity: broken })), "n");
  expect([...state.allClasses()][0]?.hasTerms).toBe(false);
  const chooser = new NodeChooser({ state, objects: clusterObjects(), rng: seededRng("x"), comparesIntegers: false });
  expect(chooser.choose(podFacts(testPod("p", { affinity: broken })))).toMatchObject({
    message: '0/1 nodes are available: parsing pod: "Near" is not a valid label selector operator. not found',
  });
});
