import { describe, expect, it } from "vitest";
import { seededRng } from "#base/seeded-rng.ts";
import { NodeChooser, nodesToFind } from "./choose-node.ts";
import { ClusterState } from "./cluster-state.ts";
import { podFacts } from "./pod-facts.ts";
import { clusterObjects, testNode, testPod } from "./testing.ts";

function chooserOf(nodeCount: number): NodeChooser {
  const state = new ClusterState();
  for (let index = 0; index < nodeCount; index++) state.setNode(testNode(`n${index}`));
  return new NodeChooser({ state, objects: clusterObjects(), rng: seededRng("choose"), comparesIntegers: false });
}

describe("scheduler/10 the search for nodes", () => {
  it("checks all nodes of a small cluster, and a smaller share the larger the cluster is", () => {
    expect([1, 99, 100, 250, 1000, 5000, 10_000].map(nodesToFind)).toEqual([1, 99, 100, 120, 420, 500, 500]);
  });

  it("begins where the last search ended", () => {
    const chooser = chooserOf(250);
    const facts = podFacts(testPod("p"));
    const firstOf = (): string => {
      const nodes = chooser.fittingNodes(facts, new Map());
      return "message" in nodes ? "" : `${nodes.length} from ${nodes[0]?.name}`;
    };
    expect([firstOf(), firstOf(), firstOf()]).toEqual(["120 from n0", "120 from n120", "120 from n240"]);
  });

  it("finds none in a cluster without nodes", () => {
    expect(chooserOf(0).choose(podFacts(testPod("p")))).toMatchObject({
      message: "no nodes available to schedule pods",
    });
  });

  it("chooses one of several best nodes at random", () => {
    const chooser = chooserOf(3);
    const chosen = Array.from({ length: 50 }, () => {
      const choice = chooser.choose(podFacts(testPod("p")));
      return "node" in choice ? choice.node.name : "";
    });
    expect([...new Set(chosen)].sort()).toEqual(["n0", "n1", "n2"]);
  });
});
