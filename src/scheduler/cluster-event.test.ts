import { describe, expect, it } from "vitest";
import { boundPodEvents, mayHelp, nodeEvents } from "./cluster-event.ts";
import { podFacts } from "./pod-facts.ts";
import type { PluginName } from "./rejection.ts";
import { type PodParts, testNode, testPod } from "./testing.ts";

const waiting = (plugin: PluginName, parts: PodParts = {}) => ({
  facts: podFacts(testPod("waiting", parts)),
  plugins: new Set([plugin]),
});
const bound = (parts: PodParts = {}) => ({ pod: podFacts(testPod("bound", parts)) });

describe("scheduler/4 events that may help", () => {
  it("derive from updates of nodes; heartbeats cause none", () => {
    const before = testNode("n");
    const heartbeat = { ...before, status: { ...before.status, conditions: [{ type: "Ready", status: "True" }] } };
    expect(nodeEvents(before, heartbeat)).toEqual([]);
    expect(nodeEvents(before, testNode("n", { spec: { unschedulable: true } }))).toEqual(["node taints changed"]);
    expect(nodeEvents(before, testNode("n", { labels: { a: "b" }, status: { allocatable: { cpu: "8" } } }))).toEqual([
      "node allocatable changed",
      "node labels changed",
    ]);
  });

  it("derive from updates of bound pods: labels, deletion, smaller requests", () => {
    const before = testPod("p", { requests: { cpu: "2" } });
    const smaller = testPod("p", { requests: { cpu: "1" } });
    expect(boundPodEvents(before, { ...before, status: { phase: "Running" } })).toEqual([]);
    expect(boundPodEvents(before, testPod("p", { requests: { cpu: "2" }, labels: { a: "b" } }))).toEqual([
      "bound pod labels changed",
    ]);
    expect(boundPodEvents(before, testPod("p", { requests: { cpu: "2" }, isTerminating: true }))).toHaveLength(1);
    const resized = { ...smaller, metadata: { ...smaller.metadata, generation: 2 } };
    expect(boundPodEvents(before, resized)).toEqual(["bound pod scaled down"]);
  });

  it("depend on the plugin that rejected the pod", () => {
    expect(mayHelp("bound pod deleted", waiting("NodeResourcesFit"), bound())).toBe(true);
    expect(mayHelp("bound pod deleted", waiting("NodeAffinity"), bound())).toBe(false);
    expect(mayHelp("node labels changed", waiting("NodeAffinity"))).toBe(true);
    expect(mayHelp("node added", waiting("DynamicResources"))).toBe(false);
    expect(mayHelp("node added", { ...waiting("NodeName"), plugins: new Set() })).toBe(true);
  });

  it("depend on the pod's namespace, ports, claims and affinity", () => {
    const other = { namespace: "other" };
    expect(mayHelp("bound pod added", waiting("PodTopologySpread"), bound())).toBe(true);
    expect(mayHelp("bound pod added", waiting("PodTopologySpread"), bound(other))).toBe(false);
    expect(mayHelp("bound pod deleted", waiting("NodePorts"), bound())).toBe(false);
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "c" } }];
    expect(mayHelp("bound pod deleted", waiting("NodeVolumeLimits"), bound({ volumes }))).toBe(true);
    expect(mayHelp("claim changed", waiting("VolumeBinding", { volumes }), { claim: "default/c" })).toBe(true);
    expect(mayHelp("claim changed", waiting("VolumeBinding", { volumes }), { claim: "default/d" })).toBe(false);
    const term = { topologyKey: "zone", labelSelector: { matchLabels: { app: "web" } } };
    const podAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const near = waiting("InterPodAffinity", { affinity: { podAffinity } });
    expect(mayHelp("bound pod added", near, bound({ labels: { app: "web" } }))).toBe(true);
    expect(mayHelp("bound pod added", near, bound({ labels: { app: "db" } }))).toBe(false);
    expect(mayHelp("bound pod added", near, bound({ labels: { app: "web" }, ...other }))).toBe(false);
  });
});
