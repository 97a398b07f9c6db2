import { describe, expect, it } from "vitest";
import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods, ReplicationControllers } from "#api/generated/resources/core-v1.ts";
import type { ReplicaSetStatus } from "#api/generated/types/apps-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { ownPods } from "./pods.ts";
import { calculateStatus, isSameStatus, type StatusInput } from "./status.ts";

type StoredPod = ObjectOf<typeof Pods>;
type StoredReplicaSet = ObjectOf<typeof ReplicaSets>;

const NOW = Date.UTC(2026, 0, 1);

const set = (status?: ReplicaSetStatus): StoredReplicaSet =>
  stored(ReplicaSets, {
    metadata: { name: "web", generation: 2 },
    spec: {
      replicas: 3,
      minReadySeconds: 10,
      selector: {},
      template: { metadata: { labels: { app: "web", tier: "front" } } },
    },
    ...(status === undefined ? {} : { status }),
  });

const pod = (labels: Record<string, string>, readyForMs?: number): StoredPod =>
  stored(Pods, {
    metadata: { name: "pod", labels },
    ...(readyForMs === undefined
      ? {}
      : {
          status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(NOW - readyForMs) }] },
        }),
  });

const input = (more: Partial<StatusInput> = {}): StatusInput => ({
  pods: ownPods(set(), []),
  scaleError: undefined,
  reportsTerminating: true,
  now: NOW,
  ...more,
});

const full = { app: "web", tier: "front", extra: "yes" };

describe("status", () => {
  it("replicaset/7 counts active, fully labelled, ready, available and terminating pods", () => {
    const active = [pod(full, 10_000), pod(full, 9_000), pod({ app: "web" }), pod(full)];
    expect(calculateStatus(set(), input({ pods: ownPods(set(), active, [pod(full)]) }))).toEqual({
      replicas: 4,
      fullyLabeledReplicas: 3,
      readyReplicas: 2,
      availableReplicas: 1,
      terminatingReplicas: 1,
    });
  });

  it("replicationcontroller/3 leaves terminating pods out where the kind has no such field", () => {
    const status = calculateStatus(set(), input({ reportsTerminating: false, pods: ownPods(set(), [], [pod(full)]) }));
    expect(status).not.toHaveProperty("terminatingReplicas");
  });

  it("replicationcontroller/2 without a template every pod has all its labels", () => {
    const owner = stored(ReplicationControllers, { metadata: { name: "web" }, spec: {} });
    const status = calculateStatus(owner, input({ pods: ownPods(owner, [pod(full), pod({})]) }));
    expect(status.fullyLabeledReplicas).toBe(2);
  });

  it("replicaset/9 sets a failure once, with the reason of the attempt", () => {
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
    const excess = ownPods(
      set(),
      [1, 2, 3, 4].map(() => pod(full)),
    );
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

describe("status as upstream's tests have it", () => {
  const one = { name: "foo" };
  const both = { name: "foo", type: "production" };
  const HOUR_MS = 3_600_000;
  const owner = (labels: Record<string, string>, minReadySeconds = 0): StoredReplicaSet =>
    stored(ReplicaSets, {
      metadata: { name: "rs", generation: 1 },
      spec: { replicas: 2, minReadySeconds, selector: {}, template: { metadata: { labels } } },
    });
  const ready = (labels: Record<string, string>): StoredPod => pod(labels, 0);

  const cases: readonly {
    readonly what: string;
    readonly owner: StoredReplicaSet;
    readonly active: readonly StoredPod[];
    readonly terminating?: number;
    /** replicas, fully labelled, ready, available, terminating. */
    readonly counts: readonly [number, number, number, number, number?];
  }[] = [
    { what: "one fully labelled pod", owner: owner(both), active: [ready(both)], counts: [1, 1, 1, 1] },
    { what: "one pod without all labels", owner: owner(both), active: [ready(one)], counts: [1, 0, 1, 1] },
    { what: "two fully labelled pods", owner: owner(both), active: [ready(both), ready(both)], counts: [2, 2, 2, 2] },
    {
      what: "nothing is terminating, and is said so",
      owner: owner(both),
      active: [ready(both), ready(both)],
      terminating: 0,
      counts: [2, 2, 2, 2, 0],
    },
    { what: "one of each", owner: owner(both), active: [ready(one), ready(both)], counts: [2, 1, 2, 2] },
    { what: "one that is not ready", owner: owner(both), active: [pod(both)], counts: [1, 1, 0, 0] },
    { what: "one just ready", owner: owner(both, 3600), active: [ready(both)], counts: [1, 1, 1, 0] },
    {
      what: "one ready for exactly minReadySeconds",
      owner: owner(both, 3600),
      active: [pod(both, HOUR_MS)],
      counts: [1, 1, 1, 1],
    },
    {
      what: "one ready for twice as long",
      owner: owner(both, 3600),
      active: [pod(both, 2 * HOUR_MS)],
      counts: [1, 1, 1, 1],
    },
    {
      what: "two are terminating",
      owner: owner(both),
      active: [ready(both)],
      terminating: 2,
      counts: [1, 1, 1, 1, 2],
    },
  ];
  for (const { what, owner, active, terminating, counts } of cases) {
    it(`replicaset/tests ${what}`, () => {
      const [replicas, fullyLabeledReplicas, readyReplicas, availableReplicas, terminatingReplicas] = counts;
      const gone = Array.from({ length: terminating ?? 1 }, () => ready(both));
      const reportsTerminating = terminating !== undefined;
      expect(calculateStatus(owner, input({ pods: ownPods(owner, active, gone), reportsTerminating }))).toEqual({
        replicas,
        fullyLabeledReplicas,
        readyReplicas,
        availableReplicas,
        ...(reportsTerminating ? { terminatingReplicas: terminatingReplicas ?? 0 } : {}),
      });
    });
  }

  const failure = { type: "ReplicaFailure", status: "True", reason: "OtherFailure" };
  const stuck = { type: "ImagePullBackOff", status: "True", reason: "NonExistentImage" };
  const now = formatTime(NOW);
  const fresh = { type: "ReplicaFailure", status: "True", message: "no", lastTransitionTime: now };
  const conditionCases: readonly {
    readonly what: string;
    readonly had: readonly (typeof failure)[];
    readonly pods: number;
    readonly fails: boolean;
    readonly has: readonly object[] | undefined;
  }[] = [
    { what: "too few and refused", had: [], pods: 1, fails: true, has: [{ ...fresh, reason: "FailedCreate" }] },
    { what: "too many and refused", had: [], pods: 3, fails: true, has: [{ ...fresh, reason: "FailedDelete" }] },
    { what: "a failure that ended", had: [failure], pods: 1, fails: false, has: undefined },
    { what: "a failure that goes on", had: [failure], pods: 1, fails: true, has: [failure] },
    { what: "no failure before or after", had: [], pods: 1, fails: false, has: undefined },
    {
      what: "a failure next to another condition",
      had: [stuck],
      pods: 1,
      fails: true,
      has: [stuck, { ...fresh, reason: "FailedCreate" }],
    },
    { what: "another condition alone", had: [stuck], pods: 1, fails: false, has: [stuck] },
    {
      what: "a failure that ended next to another condition",
      had: [stuck, failure],
      pods: 1,
      fails: false,
      has: [stuck],
    },
  ];
  for (const { what, had, pods, fails, has } of conditionCases) {
    it(`replicaset/tests, replicationcontroller/tests condition: ${what}`, () => {
      const before = { replicas: 0, ...(had.length > 0 ? { conditions: had } : {}) };
      const active = Array.from({ length: pods }, () => ready(one));
      const scaleError = fails ? new Error("no") : undefined;
      const after = calculateStatus(
        { ...owner(one), status: before },
        input({ pods: ownPods(owner(one), active), scaleError }),
      );
      expect(after.conditions).toEqual(has as never);
    });
  }
});

describe("replicaset/7 a status is written", () => {
  const old: ReplicaSetStatus = {
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 2,
    availableReplicas: 1,
    terminatingReplicas: 0,
    observedGeneration: 1,
    conditions: [{ type: "ReplicaFailure", status: "True", reason: "FailedCreate" }],
  };
  it.each<{ what: string; change: Partial<ReplicaSetStatus>; isWritten: boolean }>([
    { what: "nothing", change: {}, isWritten: false },
    { what: "the observed generation alone", change: { observedGeneration: 2 }, isWritten: false },
    { what: "replicas", change: { replicas: 4 }, isWritten: true },
    { what: "fully labelled ones", change: { fullyLabeledReplicas: 2 }, isWritten: true },
    { what: "ready ones", change: { readyReplicas: 3 }, isWritten: true },
    { what: "available ones", change: { availableReplicas: 2 }, isWritten: true },
    { what: "terminating ones", change: { terminatingReplicas: 1 }, isWritten: true },
    { what: "the conditions", change: { conditions: [] }, isWritten: true },
  ])("when $what changed: $isWritten", ({ change, isWritten }) => {
    expect(isSameStatus(old, { ...old, ...change })).toBe(!isWritten);
  });

  it("not for zeros that were never reported, but for the first count of terminating pods", () => {
    const none = { replicas: 0, fullyLabeledReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
    expect([isSameStatus(undefined, none), isSameStatus({ replicas: 0 }, none)]).toEqual([true, true]);
    expect(isSameStatus({ replicas: 0 }, { ...none, terminatingReplicas: 0 })).toBe(false);
    expect(isSameStatus({ replicas: 0 }, { ...none, conditions: [] })).toBe(true);
  });
});
