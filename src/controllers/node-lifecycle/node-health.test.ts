import { describe, expect, it } from "vitest";
import type { Lease } from "#api/generated/types/coordination-v1.ts";
import type { Node } from "#api/generated/types/core-v1.ts";
import { parseTime } from "#api/time.ts";
import { isOverdue, type NodeHealth, observeHealth, unknownConditions } from "./node-health.ts";

const CREATED = "2026-01-01T00:00:00Z";
const createdMs = parseTime(CREATED);
const grace = { monitorMs: 50_000, startupMs: 60_000 };

function node(heartbeat?: string): Node {
  const ready = { type: "Ready", status: "True", ...(heartbeat === undefined ? {} : { lastHeartbeatTime: heartbeat }) };
  return { metadata: { creationTimestamp: CREATED }, status: heartbeat === undefined ? {} : { conditions: [ready] } };
}

const lease = (renewTime: string): Lease => ({ spec: { renewTime } });

interface Look {
  readonly node: Node;
  readonly lease?: Lease;
}

/** The state after passes over these states, one minute apart. */
function looks(...states: readonly Look[]): NodeHealth | undefined {
  let health: NodeHealth | undefined;
  states.forEach((state, minute) => {
    health = observeHealth(state.node, health, state.lease, createdMs + minute * 60_000);
  });
  return health;
}

const minutes = (health: NodeHealth | undefined): number => ((health?.heardAtMs ?? 0) - createdMs) / 60_000;

describe("the last sign of life of a node", () => {
  it.each<[string, readonly Look[], number]>([
    ["of its creation, while it has no status", [{ node: node() }, { node: node() }], 0],
    ["when its first status was seen", [{ node: node() }, { node: node("1") }], 1],
    ["when its heartbeat changed", [{ node: node("1") }, { node: node("2") }, { node: node("2") }], 1],
    [
      "when its lease was first seen",
      [{ node: node("1") }, { node: node("1"), lease: lease("2026-01-01T00:00:01Z") }],
      1,
    ],
    [
      "when its lease was renewed, whatever time the lease says",
      [
        { node: node("1"), lease: lease("2020-01-01T00:00:01Z") },
        { node: node("1"), lease: lease("2020-01-01T00:00:02Z") },
        { node: node("1"), lease: lease("2020-01-01T00:00:02Z") },
      ],
      1,
    ],
    [
      "when its lease is seen after its status changed",
      [
        { node: node("1"), lease: lease("2026-01-01T00:00:01Z") },
        { node: node("2"), lease: lease("2026-01-01T00:00:01Z") },
        { node: node("2"), lease: lease("2026-01-01T00:00:01Z") },
      ],
      2,
    ],
    [
      "by its lease while it has no status",
      [
        { node: node(), lease: lease("2026-01-01T00:00:01Z") },
        { node: node(), lease: lease("2026-01-01T00:00:02Z") },
      ],
      1,
    ],
  ])("node-lifecycle/5 %s", (_name, states, minute) => {
    expect(minutes(looks(...states))).toBe(minute);
  });

  it("node-lifecycle/5 has a longer grace period without a status", () => {
    const health = { heardAtMs: createdMs, ready: undefined, lease: undefined };
    const overdue = (object: Node, seconds: number): boolean =>
      isOverdue(object, health, grace, createdMs + seconds * 1000);
    expect([overdue(node("1"), 50), overdue(node("1"), 50.001)]).toEqual([false, true]);
    expect([overdue(node(), 60), overdue(node(), 60.001)]).toEqual([false, true]);
  });

  it("node-lifecycle/6 makes conditions unknown, keeps those that are, and adds missing ones", () => {
    const conditions = [
      { type: "NetworkUnavailable", status: "False" },
      { type: "Ready", status: "True", reason: "Fine", lastHeartbeatTime: "h", lastTransitionTime: "t" },
      { type: "DiskPressure", status: "Unknown", reason: "Mine" },
    ];
    const now = "2026-01-01T00:01:00Z";
    const never = { reason: "NodeStatusNeverUpdated", message: "Kubelet never posted node status." };
    expect(
      unknownConditions({ metadata: { creationTimestamp: CREATED }, status: { conditions } }, parseTime(now)),
    ).toEqual([
      { type: "NetworkUnavailable", status: "False" },
      {
        type: "Ready",
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: "Kubelet stopped posting node status.",
        lastHeartbeatTime: "h",
        lastTransitionTime: now,
      },
      { type: "DiskPressure", status: "Unknown", reason: "Mine" },
      ...["MemoryPressure", "PIDPressure"].map((type) => ({
        type,
        status: "Unknown",
        ...never,
        lastHeartbeatTime: CREATED,
        lastTransitionTime: now,
      })),
    ]);
  });
});
