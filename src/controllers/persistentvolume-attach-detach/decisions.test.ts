import { describe, expect, it } from "vitest";
import type { Node } from "#api/generated/types/core-v1.ts";
import { decideAttach, decideDetach } from "./decisions.ts";

const MINUTE = 60_000;
const ready = (status: string): Node => ({ status: { conditions: [{ type: "Ready", status }] } });
const outOfService = (effect: string): Node => ({
  ...ready("False"),
  spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect }] },
});

describe("persistentvolume-attach-detach/9, persistentvolume-attach-detach/12, persistentvolume-attach-detach/tests decides about a volume that should go", () => {
  it.each([
    ["not in use", { isInUse: false }, { kind: "detach" }],
    ["in use", {}, { kind: "wait" }],
    ["in use for six minutes, on a ready node", { waitedMs: 7 * MINUTE }, { kind: "wait" }],
    ["in use for less, on a node that is not ready", { waitedMs: 6 * MINUTE, node: ready("False") }, { kind: "wait" }],
    [
      "in use for longer, on a node that is not ready",
      { waitedMs: 6 * MINUTE + 1, node: ready("Unknown") },
      { kind: "detach", forced: "timeout" },
    ],
    ["in use for longer, on no node", { waitedMs: 7 * MINUTE, node: undefined }, { kind: "detach", forced: "timeout" }],
    [
      "in use for longer, force being disabled",
      { waitedMs: 7 * MINUTE, node: ready("False"), isForceDetachDisabled: true },
      { kind: "wait" },
    ],
    [
      "not in use for longer, on a ready node",
      { isInUse: false, waitedMs: 7 * MINUTE },
      { kind: "detach", forced: "timeout" },
    ],
    ["in use, out of service", { node: outOfService("NoExecute") }, { kind: "detach", forced: "out-of-service" }],
    [
      "in use, out of service by any effect",
      { node: outOfService("NoSchedule") },
      { kind: "detach", forced: "out-of-service" },
    ],
    [
      "out of service, force on timeout being disabled",
      { node: outOfService("NoExecute"), waitedMs: 7 * MINUTE, isForceDetachDisabled: true },
      { kind: "detach", forced: "out-of-service" },
    ],
  ])("%s", (_, facts, decision) => {
    const usual = { isInUse: true, waitedMs: 0, node: ready("True"), isForceDetachDisabled: false };
    expect(decideDetach({ ...usual, ...facts })).toEqual(decision);
  });
});

describe("persistentvolume-attach-detach/7, persistentvolume-attach-detach/13, persistentvolume-attach-detach/tests decides about a volume that a pod wants", () => {
  it.each([
    ["attached", false, ["b"], "done"],
    ["detached", false, [], "attach"],
    ["uncertain", false, [], "attach"],
    ["detached", false, ["b"], "blocked"],
    ["uncertain", false, ["b"], "blocked"],
    ["detached", true, ["b"], "attach"],
  ] as const)("%s, shareable: %s, held by %j: %s", (state, isShareable, holders, decision) => {
    expect(decideAttach(state, isShareable, holders)).toBe(decision);
  });
});
