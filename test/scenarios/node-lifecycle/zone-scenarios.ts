// Zones: 0.5 taints a second; 0.25 in a large zone (more than 4 nodes) that is partially disrupted (0.6); none in a
// small one; and none if no node of any zone is ready.

import { expect } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { timeOrUndefined } from "#api/time.ts";
import { postStatus, type StoredNode, TAINT_ORDER, TAINTED_AGAIN, taintsOf } from "#test/stage/nodes.ts";
import type { ScenarioText } from "#test/stage/scenario.ts";
import type { Stage } from "#test/stage/stage.ts";
import { createNodes } from "./steps.ts";

const isTainted = (node: StoredNode): boolean => taintsOf(node).includes("not-ready:NoExecute");

const untilTainted = async (stage: Stage, ...nodes: readonly string[]): Promise<void> => {
  for (const node of nodes) await stage.of(Nodes).until(node, isTainted);
};

/** The times of the taints, in seconds since the first. */
async function taintedAt(stage: Stage, nodes: readonly string[]): Promise<readonly number[]> {
  const times: number[] = [];
  for (const name of nodes) {
    const { spec } = await stage.of(Nodes).get(name);
    const added = spec?.taints?.find(({ effect }) => effect === "NoExecute")?.timeAdded;
    times.push((timeOrUndefined(added) ?? Number.NaN) / 1000);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return sorted.map((time) => time - (sorted[0] ?? 0));
}

export const zoneScenarios: readonly ScenarioText[] = [
  {
    name: "node-lifecycle/9 taints the nodes of a zone one after the other, at its rate",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const [first = "", second = "", third = ""] = await createNodes(stage, ["a", "b", "c"]);
      await stage.settle();
      await postStatus(stage, first, "False");
      await postStatus(stage, second, "False");
      await untilTainted(stage, first, second);
      await stage.calm(async () => {
        const [, later = 0] = await taintedAt(stage, [first, second]);
        expect(later).toBeGreaterThanOrEqual(1); // 2 s, rounded to whole seconds
      });
      expect(isTainted(await stage.of(Nodes).get(third))).toBe(false);
    },
  },
  {
    name: "node-lifecycle/12, node-lifecycle/13 stops tainting in a small zone that is partially disrupted, and goes on when it recovers",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const [first = "", second = "", third = ""] = await createNodes(stage, ["a", "b", "c", "d"]);
      await stage.settle();
      for (const name of [first, second]) {
        await postStatus(stage, name, "False");
        await untilTainted(stage, name);
      }
      await postStatus(stage, third, "False");
      await stage.of(Nodes).until(third, (node) => taintsOf(node).includes("not-ready:NoSchedule"));
      await stage.settle(3500);
      await stage.calm(async () => {
        expect(isTainted(await stage.of(Nodes).get(third))).toBe(false);
      });
      await postStatus(stage, first, "True");
      await untilTainted(stage, third);
    },
  },
  {
    name: "node-lifecycle/12 taints more slowly in a large zone that is partially disrupted",
    slow: true,
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const nodes = await createNodes(stage, ["a", "b", "c", "d", "e", "f"]);
      await stage.settle();
      const failing = nodes.slice(0, 4);
      for (const name of failing) await postStatus(stage, name, "False");
      await untilTainted(stage, ...failing);
      await stage.calm(async () => {
        const times = await taintedAt(stage, failing);
        // 4 s each; the first may come before the zone counts as disrupted.
        expect((times[3] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(7);
      });
    },
  },
  {
    name: "node-lifecycle/7, node-lifecycle/12 taints all nodes of one zone when another has a ready node",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      await createNodes(stage, ["elsewhere"], { zone: "other" });
      const nodes = await createNodes(stage, ["a", "b"]);
      await stage.settle();
      for (const name of nodes) await postStatus(stage, name, "False");
      await untilTainted(stage, ...nodes);
    },
  },
  {
    name: "node-lifecycle/12, node-lifecycle/13 takes NoExecute taints away when no node is ready, and sets them again when one is",
    alone: true,
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const [node = "", last = ""] = await createNodes(stage, ["a", "b"]);
      await stage.settle();
      await postStatus(stage, node, "False");
      await untilTainted(stage, node);
      // At once: while the taint of the first node is removed, a token would allow a taint of the other node.
      await postStatus(stage, last, "False");
      await stage.of(Nodes).until(node, (object) => taintsOf(object).join() === "not-ready:NoSchedule");
      await stage.settle(2500);
      expect(taintsOf(await stage.of(Nodes).get(last))).toEqual(["not-ready:NoSchedule"]);
      await createNodes(stage, ["rescue"]);
      await untilTainted(stage, node, last);
    },
  },
  {
    name: "node-lifecycle/7, node-lifecycle/tests does not count nodes for their zone that are excluded",
    chance: [TAINT_ORDER, TAINTED_AGAIN],
    async play(stage) {
      const [first = "", second = "", third = ""] = await createNodes(stage, ["a", "b", "c", "d"]);
      const excluded = await createNodes(stage, ["e", "f"]);
      const exclude = async (label: "" | null): Promise<void> => {
        const labels = { "node.kubernetes.io/exclude-disruption": label };
        for (const name of excluded) await stage.of(Nodes).patch(name, { metadata: { labels } });
      };
      await exclude("");
      await stage.settle();
      for (const name of [first, second]) {
        await postStatus(stage, name, "False");
        await untilTainted(stage, name);
      }
      // Three of four counted nodes: the zone is partially disrupted. Three of six: it is not.
      await postStatus(stage, third, "False");
      await stage.of(Nodes).until(third, (node) => taintsOf(node).includes("not-ready:NoSchedule"));
      await stage.settle(3500);
      await stage.calm(async () => {
        expect(isTainted(await stage.of(Nodes).get(third))).toBe(false);
      });
      await exclude(null);
      await untilTainted(stage, third);
    },
  },
];
