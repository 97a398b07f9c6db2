// The taint eviction controller deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer
// tolerate.

import { expect } from "vitest";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Taint, Toleration } from "#api/generated/types/core-v1.ts";
import { createNode, runPod, taint, untaint, withLeavingNodes } from "#test/stage/nodes.ts";
import { bind, finishDeletion, isTerminating } from "#test/stage/pods.ts";
import { type Excuse, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";

const BUSY: Taint = { key: "example.com/busy", effect: "NoExecute" };
const BROKEN: Taint = { key: "example.com/broken", effect: "NoExecute" };

const AGAIN: readonly Excuse[] = [
  {
    where: /creates and deletes › node-controller: delete pods/,
    reason: "taint_eviction.go, handleNodeUpdate: a successor evicts the pods of a tainted node that still end, again",
  },
];

const tolerating = ({ key }: Taint, tolerationSeconds?: number): Toleration => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

/** The controller's writes to pods: "patch pods/status first". */
async function podWrites(stage: Stage): Promise<readonly string[]> {
  return (await stage.writes())
    .filter(({ who, resource }) => who === "node-controller" && resource.startsWith("pods"))
    .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
}

const untilEvicted = (stage: Stage, name: string) => stage.of(Pods).until(name, isTerminating);

export const scenarios: readonly Scenario[] = scenariosOf(
  "taint-eviction-controller",
  { cast: "nodes", profile: "node-rates" },
  withLeavingNodes([
    {
      name: "taint-eviction/4, taint-eviction/7, taint-eviction/writes, taint-eviction/events marks and deletes a pod that does not tolerate a new taint, and no other",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "evicted", node);
        await runPod(stage, "tolerant", node, { tolerations: [tolerating(BUSY)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        const { status, metadata } = await untilEvicted(stage, "evicted");
        expect(status?.conditions?.find(({ type }) => type === "DisruptionTarget")).toMatchObject({
          status: "True",
          reason: "DeletionByTaintManager",
          message: "Taint manager: deleting due to NoExecute taint",
          observedGeneration: (metadata.generation ?? 0) - 1, // the deletion increments the generation too
        });
        await stage.event("TaintManagerEviction", ({ message, involvedObject }) => {
          const key = `${stage.namespace}/evicted`;
          return message === `Marking for deletion Pod ${key}` && involvedObject.uid === undefined;
        });
        await stage.settle();
        await stage.calm(async () => {
          expect(await podWrites(stage)).toEqual(["patch pods/status evicted", "delete pods evicted"]);
          expect(isTerminating(await stage.of(Pods).get("tolerant"))).toBe(false);
        });
      },
    },
    {
      name: "taint-eviction/4, taint-eviction/tests evicts a pod when the time that it tolerates the taint has passed",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "patient", node, { tolerations: [tolerating(BUSY, 3)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        await stage.pass(1500);
        expect(isTerminating(await stage.of(Pods).get("patient"))).toBe(false);
        await untilEvicted(stage, "patient");
        await stage.settle();
        await finishDeletion(stage, "patient");
        await stage.of(Pods).untilGone("patient");
      },
    },
    {
      name: "taint-eviction/3, taint-eviction/events, taint-eviction/tests cancels evictions when the taint is removed",
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "spared", node, { tolerations: [tolerating(BUSY, 4)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        await stage.pass(1000);
        await untaint(stage, node, BUSY.key);
        const message = `Cancelling deletion of Pod ${stage.namespace}/spared`;
        await stage.event("TaintManagerEviction", (event) => event.message === message);
        await stage.pass(5000);
        expect(isTerminating(await stage.of(Pods).get("spared"))).toBe(false);
      },
    },
    {
      name: "taint-eviction/4 evicts after the shortest of the times that a pod tolerates two taints",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "pod", node, { tolerations: [tolerating(BUSY, 600), tolerating(BROKEN, 2)] });
        await stage.settle();
        await taint(stage, node, BUSY, BROKEN);
        await untilEvicted(stage, "pod");
      },
    },
    {
      name: "taint-eviction/5 keeps the time of a scheduled eviction when another taint is tolerated for less",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "pod", node, { tolerations: [tolerating(BUSY, 7), tolerating(BROKEN, 1)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        await stage.settle();
        await taint(stage, node, BROKEN);
        await stage.settle(2500);
        await stage.calm(async () => {
          expect(isTerminating(await stage.of(Pods).get("pod"))).toBe(false);
        });
        await untilEvicted(stage, "pod");
      },
    },
    {
      name: "taint-eviction/4 cancels a scheduled eviction and evicts at once when a taint comes that is not tolerated",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "pod", node, { tolerations: [tolerating(BUSY, 600)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        await stage.settle();
        await taint(stage, node, BROKEN);
        await untilEvicted(stage, "pod");
        const key = `${stage.namespace}/pod`;
        await stage.event("TaintManagerEviction", ({ message }) => message === `Cancelling deletion of Pod ${key}`);
        await stage.event("TaintManagerEviction", ({ message }) => message === `Marking for deletion Pod ${key}`);
      },
    },
    {
      name: "taint-eviction/1, taint-eviction/4 cancels the eviction of a pod whose toleration has no time any more",
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "pod", node, { tolerations: [tolerating(BUSY, 5)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        await stage.pass(1000);
        await stage.of(Pods).update("pod", (pod) => ({
          ...pod,
          spec: {
            ...pod.spec,
            containers: pod.spec?.containers ?? [],
            tolerations: (pod.spec?.tolerations ?? []).map((one) => (one.key === BUSY.key ? tolerating(BUSY) : one)),
          },
        }));
        const message = `Cancelling deletion of Pod ${stage.namespace}/pod`;
        await stage.event("TaintManagerEviction", (event) => event.message === message);
        await stage.pass(5000);
        expect(isTerminating(await stage.of(Pods).get("pod"))).toBe(false);
      },
    },
    {
      name: "taint-eviction/1, taint-eviction/2, taint-eviction/8 evicts a pod that is bound to a node with a taint",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await taint(stage, node, BUSY);
        await stage.settle();
        const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "1c5a6f9e", controller: true };
        await stage.of(Pods).create({
          metadata: { name: "late", ownerReferences: [owner] },
          spec: { containers: [{ name: "main", image: "example/web:1" }] },
        });
        await stage.settle();
        await bind(stage, "late", node);
        await untilEvicted(stage, "late");
      },
    },
    {
      name: "taint-eviction/4 compares the numbers of taints and tolerations where the gate is on",
      profile: "numeric-taints",
      exceptions: AGAIN,
      async play(stage) {
        const level = (value: string): Taint => ({ key: "example.com/level", value, effect: "NoExecute" });
        const above = (value: string): Toleration => ({ ...level(value), operator: "Gt" });
        const node = await createNode(stage, "node");
        await runPod(stage, "above-3", node, { tolerations: [above("3")] });
        await runPod(stage, "above-5", node, { tolerations: [above("5")] });
        await runPod(stage, "patient", node, { tolerations: [{ ...above("3"), tolerationSeconds: 600 }] });
        await stage.settle();
        await taint(stage, node, level("5"));
        await untilEvicted(stage, "above-5");
        await stage.settle();
        expect(isTerminating(await stage.of(Pods).get("above-3"))).toBe(false);
        expect(isTerminating(await stage.of(Pods).get("patient"))).toBe(false);
        await untaint(stage, node, level("5").key);
        const message = `Cancelling deletion of Pod ${stage.namespace}/patient`;
        await stage.event("TaintManagerEviction", (event) => event.message === message);
        await stage.settle();
        await taint(stage, node, level("high"));
        await untilEvicted(stage, "above-3");
        await untilEvicted(stage, "patient");
      },
    },
    {
      name: "taint-eviction/9 evicts a pod in its time although its node was deleted meanwhile",
      exceptions: AGAIN,
      async play(stage) {
        const node = await createNode(stage, "node");
        await runPod(stage, "pod", node, { tolerations: [tolerating(BUSY, 4)] });
        await stage.settle();
        await taint(stage, node, BUSY);
        await stage.settle();
        await stage.of(Nodes).delete(node);
        await untilEvicted(stage, "pod");
      },
    },
  ]),
);
