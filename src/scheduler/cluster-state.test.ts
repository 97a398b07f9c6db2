import { describe, expect, it } from "vitest";
import { ClusterState } from "./cluster-state.ts";
import { podFacts } from "./pod-facts.ts";
import { type PodParts, testNode, testPod } from "./testing.ts";

const ZONE = "topology.kubernetes.io/zone";
const facts = (name: string, parts: PodParts = {}) => podFacts(testPod(name, parts));

describe("the state of the cluster", () => {
  it("counts the resources of pods, and releases them with the pods", () => {
    const state = new ClusterState();
    state.setNode(testNode("n"));
    const before = JSON.stringify(state.node("n")?.requested);
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
    state.setPod(facts("p", { requests: { cpu: "1", "example.com/gpu": "1" }, volumes }), "n");
    const node = state.node("n");
    expect([node?.requested.milliCpu, node?.requested.scalars.get("example.com/gpu")]).toEqual([1000, 1]);
    expect([state.isClaimInUse("default/c"), [...state.classesIn("default")].length]).toEqual([true, 1]);
    state.setPod(facts("p", { requests: { cpu: "2" } }), "n");
    expect([node?.requested.milliCpu, node?.pods.size, state.isClaimInUse("default/c")]).toEqual([2000, 1, false]);
    state.removePod("p");
    expect([JSON.stringify(node?.requested), [...state.allClasses()]]).toEqual([before, []]);
  });

  it("knows the pods of a node that is added after them, and drops a node with its last pod", () => {
    const state = new ClusterState();
    state.setPod(facts("p", { requests: { cpu: "1" } }), "n");
    expect([state.nodes, state.node("n")]).toEqual([[], undefined]);
    state.setNode(testNode("n"));
    expect(state.node("n")?.requested.milliCpu).toBe(1000);
    state.removeNode("n");
    expect([state.nodes, state.placed("p")?.node]).toEqual([[], "n"]);
    state.removePod("p");
    state.setNode(testNode("n"));
    expect(state.node("n")?.requested.milliCpu).toBe(0);
  });

  it("puts pods that no constraint can distinguish into one class", () => {
    const state = new ClusterState();
    const labels = { app: "web", tier: "1" };
    state.setPod(facts("a", { labels }), "n");
    state.setPod(facts("b", { labels: { tier: "1", app: "web" } }), "n");
    state.setPod(facts("c", { labels, isTerminating: true }), "n");
    state.setPod(facts("d", { labels, namespace: "other" }), "n");
    const podAntiAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: ZONE, labelSelector: {} }],
    };
    state.setPod(facts("e", { labels, affinity: { podAntiAffinity } }), "n");
    const counts = [...state.allClasses()].map(({ countByNode }) => [...countByNode.values()]);
    expect(counts).toEqual([[2], [1], [1], [1]]);
    expect([state.classesWithTerms.size, state.classesWithRequiredAntiAffinity.size]).toEqual([1, 1]);
    state.removePod("e");
    expect([state.classesWithTerms.size, state.classesWithRequiredAntiAffinity.size]).toEqual([0, 0]);
  });

  it("counts the nodes of an image, through updates and removals", () => {
    const state = new ClusterState();
    const images = [{ names: ["web:1", "web:latest"], sizeBytes: 1 }];
    for (const name of ["a", "b"]) state.setNode(testNode(name, { status: { images } }));
    state.setNode(testNode("a", { status: { images }, labels: { changed: "yes" } }));
    expect([state.nodesWithImage("web:1"), state.nodesWithImage("other")]).toEqual([2, 0]);
    state.setNode(testNode("a"));
    state.removeNode("b");
    expect(state.nodesWithImage("web:1")).toBe(0);
  });

  it("scheduler/10 visits nodes zone by zone in turn", () => {
    const state = new ClusterState();
    for (const [name, zone] of [
      ["a1", "a"],
      ["a2", "a"],
      ["a3", "a"],
      ["b1", "b"],
    ] as const) {
      state.setNode(testNode(name, { labels: { [ZONE]: zone } }));
    }
    expect(state.nodes.map(({ name }) => name)).toEqual(["a1", "b1", "a2", "a3"]);
    state.setNode(testNode("a2", { labels: { [ZONE]: "b" } }));
    expect(state.nodes.map(({ name }) => name)).toEqual(["a1", "a2", "a3", "b1"]);
  });
});
