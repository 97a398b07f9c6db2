import { describe, expect, it } from "vitest";
import type { ReplicaSet, ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { calculateStatus, type StatusInput } from "./status.ts";

const NOW = Date.UTC(2026, 0, 1);

const set = (status?: ReplicaSetStatus): ReplicaSet => ({
  metadata: { name: "web", generation: 2 },
  spec: {
    replicas: 3,
    minReadySeconds: 10,
    selector: {},
    template: { metadata: { labels: { app: "web", tier: "front" } } },
  },
  ...(status === undefined ? {} : { status }),
});

const pod = (labels: Record<string, string>, readyForMs?: number): Pod => ({
  metadata: { labels },
  ...(readyForMs === undefined
    ? {}
    : {
        status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(NOW - readyForMs) }] },
      }),
});

const input = (more: Partial<StatusInput> = {}): StatusInput => ({
  pods: { active: [], terminating: [] },
  scaleError: undefined,
  reportsTerminating: true,
  now: NOW,
  ...more,
});

const full = { app: "web", tier: "front", extra: "yes" };

describe("status", () => {
  it("replicaset/7 counts active, fully labelled, ready, available and terminating pods", () => {
    const active = [pod(full, 10_000), pod(full, 9_000), pod({ app: "web" }), pod(full)];
    expect(calculateStatus(set(), input({ pods: { active, terminating: [pod(full)] } }))).toEqual({
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
    });
  });

  it("replicationcontroller/3 leaves terminating pods out where the kind has no such field", () => {
    const status = calculateStatus(
      set(),
      input({ reportsTerminating: false, pods: { active: [], terminating: [pod(full)] } }),
    );
    expect(status).not.toHaveProperty("terminatingReplicas");
  });

  it("replicaset/9 words a failure once, by what was tried", () => {
    const short = calculateStatus(set(), input({ scaleError: new Error("no quota") }));
    expect(short.conditions).toEqual([
      {
        type: "ReplicaFailure",
        status: "True",
        reason: "FailedCreate",
        message: "no quota",
        lastTransitionTime: formatTime(NOW),
      },
    ]);
    const again = calculateStatus(set(short), input({ scaleError: new Error("still no quota") }));
    expect(again.conditions).toBe(short.conditions as never);
    const excess = { active: [1, 2, 3, 4].map(() => pod(full)), terminating: [] };
    expect(calculateStatus(set(), input({ scaleError: new Error("x"), pods: excess })).conditions?.[0]?.reason).toBe(
      "FailedDelete",
    );
  });

  it("replicaset/9 drops the failure after a sync without an error, and keeps other conditions", () => {
    const other = { type: "Other", status: "True" };
    const failed = { type: "ReplicaFailure", status: "True" };
    const status = calculateStatus(set({ replicas: 0, conditions: [other, failed] }), input());
    expect(status.conditions).toEqual([other]);
    expect(calculateStatus(set({ replicas: 0, conditions: [failed] }), input())).not.toHaveProperty("conditions");
  });
});
