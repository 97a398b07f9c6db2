import { describe, expect, it } from "vitest";
import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { PodSpec, Taint } from "#api/generated/types/core-v1.ts";
import { stored } from "#api/testing.ts";
import { type DaemonSet, HASH_LABEL, type StoredPod } from "./model.ts";
import { planNode } from "./node-plan.ts";
import { placementOn, targetNode, templateFor } from "./placement.ts";
import { planUpdate } from "./rolling-update.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const setOf = (rollingUpdate: object, pod: Partial<PodSpec> = {}): DaemonSet =>
  stored(DaemonSets, {
    metadata: { name: "agent" },
    spec: {
      selector: {},
      template: { spec: { containers: [], ...pod } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate },
    },
  });
const podOf = (name: string, hash: string, isReady = true): StoredPod =>
  stored(Pods, {
    metadata: { name, labels: { [HASH_LABEL]: hash } },
    status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
  });
const plan = (rollingUpdate: object, byNode: Record<string, StoredPod[]>, misplaced: string[] = []) => {
  const { deletes, creates } = planUpdate(setOf(rollingUpdate), {
    hash: "new",
    now,
    podsByNode: new Map(Object.entries(byNode)),
    desired: Object.keys(byNode).length - misplaced.length,
    shouldRunOn: (name) => !misplaced.includes(name),
  });
  return { deletes: deletes.map(({ metadata }) => metadata.name), creates };
};

describe("rolling updates", () => {
  it("daemonset/10 replace broken old pods, and available ones as far as maxUnavailable allows", () => {
    const byNode = {
      a: [podOf("a", "old")],
      b: [podOf("b", "old", false)],
      c: [podOf("c", "old")],
      d: [podOf("d", "new")],
    };
    expect(plan({ maxUnavailable: 1 }, byNode).deletes).toEqual(["b"]);
    expect(plan({ maxUnavailable: 2 }, byNode).deletes).toEqual(["b", "a"]);
    expect(plan({ maxUnavailable: "75%" }, byNode).deletes).toEqual(["b", "a", "c"]);
  });

  it("daemonset/10 count nodes without a pod, with two, and with a new pod that is not available", () => {
    const old = { z: [podOf("z", "old")] };
    expect(plan({ maxUnavailable: 1 }, { a: [], ...old }).deletes).toEqual([]);
    expect(plan({ maxUnavailable: 1 }, { a: [podOf("a", "new"), podOf("b", "old")], ...old }).deletes).toEqual([]);
    expect(plan({ maxUnavailable: 1 }, { a: [podOf("a", "new", false)], ...old }).deletes).toEqual([]);
    expect(plan({ maxUnavailable: 0 }, old).deletes).toEqual(["z"]);
  });

  it("daemonset/11 surge beside broken old pods at once, beside others up to maxSurge, and remove replaced ones", () => {
    const byNode = {
      a: [podOf("a", "old")],
      b: [podOf("b", "old", false)],
      c: [podOf("c", "old"), podOf("c-new", "new")],
      d: [podOf("d", "old")],
    };
    expect(plan({ maxSurge: 1, maxUnavailable: 0 }, byNode)).toEqual({ deletes: ["c"], creates: ["b", "a"] });
  });

  it("daemonset/11 leave a pod on a node that is not selected any more until there are enough others", () => {
    const moved = (isReady: boolean) => ({ a: [podOf("a", "old")], b: [podOf("b", "new", isReady)] });
    expect(plan({ maxSurge: 1 }, moved(false), ["a"]).deletes).toEqual([]);
    expect(plan({ maxSurge: 1 }, moved(true), ["a"]).deletes).toEqual(["a"]);
  });
});

describe("placement", () => {
  const on = (taints: Taint[], pod: Partial<PodSpec> = {}) =>
    placementOn(stored(Nodes, { metadata: { name: "a" }, spec: { taints } }), setOf({}, pod), false);

  it("daemonset/2 follows the node's name and taints", () => {
    expect(on([])).toEqual({ shouldRun: true, mayStay: true });
    expect(on([], { nodeName: "b" })).toEqual({ shouldRun: false, mayStay: false });
    expect(on([{ key: "x", effect: "NoSchedule" }])).toEqual({ shouldRun: false, mayStay: true });
    expect(on([{ key: "x", effect: "NoExecute" }])).toEqual({ shouldRun: false, mayStay: false });
    expect(on([{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }]).shouldRun).toBe(true);
    const network = [{ key: "node.kubernetes.io/network-unavailable", effect: "NoSchedule" }];
    expect([on(network).shouldRun, on(network, { hostNetwork: true }).shouldRun]).toEqual([false, true]);
  });

  it("daemonset/4 ties the pod to its node, and keeps preferences", () => {
    const preferredDuringSchedulingIgnoredDuringExecution = [{ weight: 1, preference: {} }];
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{}] },
      preferredDuringSchedulingIgnoredDuringExecution,
    };
    const { spec } = templateFor(setOf({}, { affinity: { nodeAffinity } }), "h", "a");
    expect(targetNode(stored(Pods, { metadata: { name: "p" }, ...(spec ? { spec } : {}) }))).toBe("a");
    expect(spec?.affinity?.nodeAffinity).toMatchObject({ preferredDuringSchedulingIgnoredDuringExecution });
  });

  it("daemonset/6, daemonset/7 keeps one pod on a node, or an old one beside the new one while it surges", () => {
    const run = { shouldRun: true, mayStay: true };
    const surplus = (rollingUpdate: object, ...pods: StoredPod[]) =>
      planNode(setOf(rollingUpdate), pods, run, { hash: "new", now }).surplus.map(({ metadata }) => metadata.name);
    expect(surplus({}, podOf("b", "new"), podOf("a", "old"))).toEqual(["b"]);
    expect(surplus({ maxSurge: 1 }, podOf("b", "new", false), podOf("a", "old"))).toEqual([]);
    expect(surplus({ maxSurge: 1 }, podOf("b", "new"), podOf("a", "old"))).toEqual(["a"]);
    expect(surplus({ maxSurge: 1 }, podOf("b", "new", false), podOf("a", "old", false))).toEqual(["a"]);
  });
});
