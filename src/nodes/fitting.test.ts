import { expect, it } from "vitest";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { whyNot, whyNowhere } from "./fitting.ts";

const ready: Node = {
  metadata: { name: "a", labels: { disk: "ssd" } },
  spec: {},
  status: { conditions: [{ type: "Ready", status: "True" }] },
};
const taint = { key: "a", value: "b", effect: "NoSchedule" };
const cordoned: Node = { ...ready, spec: { unschedulable: true } };
const tainted: Node = { ...ready, spec: { taints: [taint] } };
const pod = (spec: Partial<Pod["spec"]> = {}): Pod => ({ spec: { containers: [], ...spec } });

it.each<[string, Pod, Node, string | undefined]>([
  ["a ready node", pod(), ready, undefined],
  ["a label that is there", pod({ nodeSelector: { disk: "ssd" } }), ready, undefined],
  [
    "a label that is not",
    pod({ nodeSelector: { disk: "hdd" } }),
    ready,
    "node(s) didn't match Pod's node affinity/selector",
  ],
  ["a cordoned node", pod(), cordoned, "node(s) were unschedulable"],
  ["a taint", pod(), tainted, "node(s) had untolerated taint(s)"],
  ["a tolerated taint", pod({ tolerations: [{ key: "a", operator: "Exists" }] }), tainted, undefined],
  ["a weak taint", pod(), { ...ready, spec: { taints: [{ ...taint, effect: "PreferNoSchedule" }] } }, undefined],
  ["a node that is not ready", pod(), { ...ready, status: {} }, "node(s) had untolerated taint(s)"],
])("knows %s", (_, one, node, expected) => {
  expect(whyNot(one, node)).toBe(expected);
});

it("says why a pod fits nowhere", () => {
  expect(whyNowhere(pod(), [])).toBe("no nodes available to schedule pods");
  expect(whyNowhere(pod(), [tainted, cordoned, tainted])).toBe(
    "0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) had untolerated taint(s).",
  );
});
