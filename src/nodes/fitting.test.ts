import { expect, it } from "vitest";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { whyNot, whyNowhere } from "./fitting.ts";

type StoredNode = ObjectOf<typeof Nodes>;

const ready = stored(Nodes, {
  metadata: { name: "a", labels: { disk: "ssd" } },
  spec: {},
  status: { conditions: [{ type: "Ready", status: "True" }] },
});
const taint = { key: "a", value: "b", effect: "NoSchedule" };
const cordoned: StoredNode = { ...ready, spec: { unschedulable: true } };
const tainted: StoredNode = { ...ready, spec: { taints: [taint] } };
const pod = (spec: Partial<Pod["spec"]> = {}): Pod => ({ spec: { containers: [], ...spec } });

it.each<[string, Pod, StoredNode, string | undefined]>([
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
