// The pod garbage collector deletes pods that no kubelet will end. Its loop runs every 20 seconds, and a missing node
// gets 40 seconds more, so most scenarios are slow.

import { expect } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { barePod, bind, finishDeletion, setPodStatus } from "#test/stage/pods.ts";
import { type Excuse, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const OUT_OF_SERVICE = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };
const HELD = { finalizers: ["example.com/hold"] };
const tolerations = [{ operator: "Exists" }];

const LOOKS: readonly Excuse[] = [
  {
    where: /creates and deletes › pod-garbage-collector: delete pods/,
    reason:
      "gc_controller.go, gc: a pod that finalizers hold is deleted again with every look, and a successor looks at once",
  },
];

export const scenarios: readonly Scenario[] = scenariosOf("pod-garbage-collector-controller", { cast: "nodes" }, [
  {
    name: "pod-garbage-collector/5, pod-garbage-collector/6 fails and deletes a terminating pod that has no node",
    exceptions: LOOKS,
    slow: true,
    async play(stage) {
      const pods = stage.of(Pods);
      await pods.create(barePod("waiting", undefined, HELD));
      await pods.delete("waiting");
      const { status, metadata } = await pods.until("waiting", ({ status }) => status?.phase === "Failed");
      expect(status?.conditions?.some(({ type }) => type === "DisruptionTarget") ?? false).toBe(false);
      expect(status?.observedGeneration).toBe(metadata.generation);
      await stage.settle();
      await pods.patch("waiting", { metadata: { finalizers: null } });
      await pods.untilGone("waiting");
    },
  },
  {
    name: "pod-garbage-collector/7 deletes a pod with finalizers again with every look, and fails it once",
    exceptions: LOOKS,
    virtualOnly: "it lasts several looks of 20 s each",
    async play(stage) {
      const pods = stage.of(Pods);
      await pods.create(barePod("held", undefined, HELD));
      await pods.delete("held");
      await pods.until("held", ({ status }) => status?.phase === "Failed");
      await stage.pass(70_000);
      await stage.calm(async () => {
        const own = (await stage.writes()).filter(({ who }) => who === "pod-garbage-collector");
        expect(own.filter(({ verb }) => verb === "patch")).toHaveLength(1);
        expect(own.filter(({ verb }) => verb === "delete").length).toBeGreaterThanOrEqual(3);
      });
    },
  },
  {
    name: "pod-garbage-collector/2 deletes terminating pods of a node that is not ready and out of service",
    slow: true,
    async play(stage) {
      const node = await createNode(stage, "down", { isReady: false });
      await runPod(stage, "stuck", node);
      await stage.of(Pods).delete("stuck");
      await stage.of(Nodes).patch(node, { spec: { taints: [OUT_OF_SERVICE] } });
      await stage.of(Pods).untilGone("stuck");
    },
  },
  {
    name: "pod-garbage-collector/2, pod-garbage-collector/6 deletes pods that have ended and are out of service, and no pod that stays",
    slow: true,
    async play(stage) {
      const node = await createNode(stage, "down", { isReady: false });
      const ends = { succeeded: "Succeeded", failed: "Failed" };
      for (const [name, phase] of Object.entries(ends)) {
        await runPod(stage, name, node);
        await setPodStatus(stage, name, { phase });
        await stage.of(Pods).patch(name, { metadata: HELD });
        await stage.of(Pods).delete(name);
        await stage.of(Pods).patch(name, { metadata: { finalizers: null } });
      }
      await runPod(stage, "staying", node);
      await runPod(stage, "stuck", node);
      await stage.of(Pods).delete("stuck");
      await stage.of(Nodes).patch(node, { spec: { taints: [OUT_OF_SERVICE] } });
      await stage.of(Pods).untilGone("stuck");
      for (const name of Object.keys(ends)) await stage.of(Pods).untilGone(name);
      expect((await stage.of(Pods).get("staying")).status?.phase).toBe("Running");
    },
  },
  {
    name: "pod-garbage-collector/5 leaves a pod that has no node and is not deleted",
    exceptions: LOOKS,
    slow: true,
    async play(stage) {
      const pods = stage.of(Pods);
      await pods.create(barePod("pending"));
      await pods.create(barePod("waiting", undefined, HELD));
      await pods.delete("waiting");
      await pods.until("waiting", ({ status }) => status?.phase === "Failed");
      await stage.settle();
      expect((await pods.get("pending")).status?.phase).toBe("Pending");
      await pods.patch("waiting", { metadata: { finalizers: null } });
      await pods.untilGone("waiting");
    },
  },
  {
    name: "pod-garbage-collector/2 leaves terminating pods of a node that is ready, or not out of service",
    virtualOnly: "that nothing happens shows after two looks of 20 s each",
    exceptions: [
      {
        where: /end state › Node .* › spec\.taints/,
        reason: "nodelifecycle, tryUpdateNodeHealth: a new manager waits for the grace period anew before it taints",
      },
    ],
    async play(stage) {
      const ready = await createNode(stage, "ready", { isReady: true, taints: [OUT_OF_SERVICE] });
      const unready = await createNode(stage, "unready", { isReady: false });
      await runPod(stage, "on-ready", ready);
      await runPod(stage, "on-unready", unready);
      for (const name of ["on-ready", "on-unready"]) await stage.of(Pods).delete(name);
      await stage.pass(45_000);
      for (const name of ["on-ready", "on-unready"]) {
        expect((await stage.of(Pods).get(name)).status?.phase).toBe("Running");
        await finishDeletion(stage, name);
      }
    },
  },
  {
    name: "pod-garbage-collector/3, pod-garbage-collector/4 fails, marks and deletes the pods of a node that is gone",
    slow: true,
    async play(stage) {
      const node = await createNode(stage, "gone", { isReady: true });
      await runPod(stage, "orphan", node);
      await stage.of(Pods).patch("orphan", { metadata: HELD });
      await runPod(stage, "finished", node);
      await setPodStatus(stage, "finished", { phase: "Succeeded" });
      await stage.settle();
      await stage.of(Nodes).delete(node);
      const { status } = await stage.of(Pods).until("orphan", ({ status }) => status?.phase === "Failed");
      const condition = status?.conditions?.find(({ type }) => type === "DisruptionTarget");
      expect(condition).toMatchObject({
        status: "True",
        reason: "DeletionByPodGC",
        message: "PodGC: node no longer exists",
        observedGeneration: 1,
      });
      await stage.of(Pods).untilGone("finished");
      await stage.of(Pods).until("orphan", ({ metadata }) => metadata.deletionTimestamp !== undefined);
      await stage.of(Pods).patch("orphan", { metadata: { finalizers: null } });
      await stage.of(Pods).untilGone("orphan");
    },
  },
  {
    name: "pod-garbage-collector/3 keeps the pods of a node that comes back within its quarantine",
    virtualOnly: "the quarantine is 40 s, and that nothing happens shows after two more looks",
    async play(stage) {
      const node = await createNode(stage, "back", { isReady: true });
      await runPod(stage, "kept", node);
      await stage.of(Nodes).delete(node);
      await stage.pass(25_000);
      await createNode(stage, "back", { isReady: true });
      await stage.pass(90_000);
      const { metadata, status } = await stage.of(Pods).get("kept");
      expect([metadata.deletionTimestamp, status?.phase]).toEqual([undefined, "Running"]);
    },
  },
  {
    name: "pod-garbage-collector/1 deletes terminated pods beyond the threshold: evicted ones first, then the oldest",
    profile: "few-terminated-pods", // the only scenario of this profile: no other play has terminated pods
    slow: true,
    async play(stage) {
      const phases = { first: "Succeeded", second: "Failed", third: "Succeeded", evicted: "Failed" };
      for (const [name, phase] of Object.entries(phases)) {
        await stage.of(Pods).create(barePod(name));
        await stage.pass(1100); // creation times have whole seconds
        await setPodStatus(stage, name, { phase, ...(name === "evicted" ? { reason: "Evicted" } : {}) });
      }
      await stage.of(Pods).untilGone("evicted");
      await stage.of(Pods).untilGone("first");
      await stage.settle();
      const left = await stage.of(Pods).list();
      expect(left.map(({ metadata }) => metadata.name)).toEqual(["second", "third"]);
    },
  },
]);

async function createNode(
  stage: Stage,
  base: string,
  { isReady, taints = [] }: { readonly isReady: boolean; readonly taints?: readonly { key: string; effect: string }[] },
): Promise<string> {
  const name = stage.name(base);
  await stage.of(Nodes).create({ metadata: { name }, spec: { taints } });
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False" }];
  await stage.of(Nodes).patch(name, { status: { conditions } }, { subresource: "status" });
  return name;
}

async function runPod(stage: Stage, name: string, node: string): Promise<void> {
  const pod = barePod(name);
  await stage.of(Pods).create({ ...pod, spec: { containers: pod.spec?.containers ?? [], tolerations } });
  await bind(stage, name, node);
  await setPodStatus(stage, name, { phase: "Running" });
}
