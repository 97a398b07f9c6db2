import { describe, expect, it } from "vitest";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { PodStatus } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import { formatTime } from "#api/time.ts";
import { selectPodsToDelete } from "./deletion-order.ts";

type StoredPod = ObjectOf<typeof Pods>;

const NOW = Date.UTC(2026, 0, 2);
const MINUTE = 60_000;

interface Sketch {
  readonly node?: string;
  readonly phase?: string;
  /** How long the pod has been ready; "unknown" without a transition time. */
  readonly readyForMs?: number | "unknown";
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly ageMs?: number;
  readonly uid?: string;
}

function pod(name: string, sketch: Sketch = {}): StoredPod {
  const {
    node = "n1",
    phase = "Running",
    readyForMs,
    cost,
    restarts,
    sidecarRestarts,
    ageMs = 60 * MINUTE,
    uid = name,
  } = sketch;
  const status: PodStatus = {
    phase,
    ...(readyForMs === undefined ? {} : { conditions: [{ type: "Ready", status: "True", ...since(readyForMs) }] }),
    ...(restarts === undefined ? {} : { containerStatuses: [container("main", restarts)] }),
    ...(sidecarRestarts === undefined ? {} : { initContainerStatuses: [container("side", sidecarRestarts)] }),
  };
  return stored(Pods, {
    metadata: {
      name,
      uid,
      creationTimestamp: formatTime(NOW - ageMs),
      ...(cost === undefined ? {} : { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } }),
    },
    spec: {
      containers: [],
      ...(node === "" ? {} : { nodeName: node }),
      initContainers: [{ name: "side", restartPolicy: "Always" }],
    },
    status,
  });
}

function since(readyForMs: number | "unknown"): { readonly lastTransitionTime?: string } {
  return readyForMs === "unknown" ? {} : { lastTransitionTime: formatTime(NOW - readyForMs) };
}

const container = (name: string, restartCount: number) => ({ name, restartCount, ready: true, image: "", imageID: "" });

const firstOf = (
  pods: readonly StoredPod[],
  related: readonly StoredPod[] = [],
  usesDeletionCost = true,
): string | undefined => selectPodsToDelete(pods, related, 1, { now: NOW, usesDeletionCost })[0]?.metadata.name;

describe("deletion order", () => {
  const cases: readonly { readonly what: string; readonly first: StoredPod; readonly second: StoredPod }[] = [
    {
      what: "unassigned before assigned",
      first: pod("a", { node: "", phase: "Running" }),
      second: pod("b", { phase: "Pending" }),
    },
    { what: "pending before unknown", first: pod("a", { phase: "Pending" }), second: pod("b", { phase: "Unknown" }) },
    { what: "unknown before running", first: pod("a", { phase: "Unknown" }), second: pod("b") },
    { what: "not ready before ready", first: pod("a", { cost: "9" }), second: pod("b", { readyForMs: MINUTE }) },
    { what: "cheaper first", first: pod("a", { cost: "-3" }), second: pod("b") },
    {
      what: "a cost that is no plain integer counts as 0",
      first: pod("a", { cost: "+5" }),
      second: pod("b", { cost: "1" }),
    },
    {
      what: "ready for a shorter time first",
      first: pod("a", { readyForMs: MINUTE }),
      second: pod("b", { readyForMs: 20 * MINUTE }),
    },
    { what: "more restarts first", first: pod("a", { restarts: 3 }), second: pod("b", { restarts: 1 }) },
    {
      what: "then more sidecar restarts",
      first: pod("a", { restarts: 1, sidecarRestarts: 2 }),
      second: pod("b", { restarts: 1, sidecarRestarts: 1 }),
    },
    { what: "younger first", first: pod("a", { ageMs: MINUTE }), second: pod("b", { ageMs: 60 * MINUTE }) },
    {
      what: "of about the same age, by UID",
      first: pod("a", { ageMs: 70 * MINUTE, uid: "1" }),
      second: pod("b", { ageMs: 60 * MINUTE, uid: "2" }),
    },
  ];
  for (const { what, first, second } of cases) {
    it(`workloads/S18 ${what}`, () => {
      expect(firstOf([first, second])).toBe("a");
      expect(firstOf([second, first])).toBe("a");
    });
  }

  it("workloads/S18 more siblings on its node first, whichever set they belong to", () => {
    const crowded = pod("a", { node: "crowded" });
    const lonely = pod("b", { node: "lonely" });
    const siblings = [crowded, pod("c", { node: "crowded" }), lonely];
    expect(firstOf([lonely, crowded], siblings)).toBe("a");
    const deadSibling = pod("d", { node: "lonely", phase: "Failed" });
    expect(firstOf([lonely, crowded], [...siblings, deadSibling, deadSibling, deadSibling])).toBe("a");
  });

  it("workloads/S18 cost is ignored when its gate is off", () => {
    const dear = pod("a", { cost: "100", ageMs: MINUTE });
    const cheap = pod("b", { cost: "-100" });
    expect(firstOf([dear, cheap])).toBe("b");
    expect(firstOf([dear, cheap], [], false)).toBe("a");
  });

  it("workloads/S18 a cost that is no plain integer of 32 bits counts as 0", () => {
    for (const cost of ["+5", "007", "1.5", "junk", "", "2147483648", "-2147483649"]) {
      expect(firstOf([pod("a", { cost }), pod("b", { cost: "1" })])).toBe("a");
      expect(firstOf([pod("a", { cost: "-1" }), pod("b", { cost })])).toBe("a");
    }
  });

  it("workloads/S18 phases not listed count as pending", () => {
    expect(firstOf([pod("a", { phase: "Odd", restarts: 1 }), pod("b", { phase: "Pending" })])).toBe("a");
  });

  it("replicaset/6 all pods are deleted in any order when none is kept", () => {
    const pods = [pod("b", { readyForMs: MINUTE }), pod("a")];
    expect(selectPodsToDelete(pods, [], 2, { now: NOW, usesDeletionCost: true })).toBe(pods);
  });
});

const HOUR = 60 * MINUTE;
const MONTH = 30 * 24 * HOUR;

describe("deletion order of pods as upstream's tests have them", () => {
  const unscheduled = pod("unscheduled", { node: "", phase: "Pending" });
  const pending = pod("pending", { phase: "Pending" });
  const unknown = pod("unknown", { phase: "Unknown" });
  const notReady = pod("not-ready", {});
  const readySinceUnknown = pod("ready-since-unknown", { readyForMs: "unknown", restarts: 0 });
  const ready = pod("ready", { readyForMs: 0, restarts: 0, ageMs: 0 });
  const readyLong = pod("ready-long", { readyForMs: MONTH, restarts: 0, ageMs: MONTH });
  const restarted = pod("restarted", { readyForMs: 0, restarts: 9001, ageMs: 0 });
  const sidecarRestarted = pod("sidecar", { readyForMs: 0, restarts: 9001, sidecarRestarts: 9001, ageMs: 0 });
  const readyAgain = pod("ready-again", { readyForMs: 0, restarts: 0, ageMs: MONTH });
  const cheap = pod("cheap", { readyForMs: 0, ageMs: MONTH, cost: "10" });
  const dear = pod("dear", { readyForMs: 0, ageMs: MONTH, cost: "100" });
  const readyTwoHours = pod("two-hours", { node: "", readyForMs: 2 * HOUR, ageMs: MONTH });
  const readyFiveHours = pod("five-hours", { node: "", readyForMs: 5 * HOUR, ageMs: MONTH });

  it("replicaset/tests each kind of pod is deleted before the next", () => {
    const sorted = [
      unscheduled,
      pending,
      unknown,
      notReady,
      readySinceUnknown,
      sidecarRestarted,
      restarted,
      ready,
      readyAgain,
      readyLong,
    ];
    for (const [index, first] of sorted.entries()) {
      for (const second of sorted.slice(index + 1)) {
        expect(firstOf([first, second])).toBe(first.metadata.name);
        expect(firstOf([second, first])).toBe(first.metadata.name);
      }
    }
    expect(firstOf([readyFiveHours, readyTwoHours])).toBe("two-hours");
  });

  it("replicaset/tests siblings on the node come before readiness time, restarts and age, and after cost", () => {
    const alone = (one: StoredPod): StoredPod => ({ ...one, spec: { ...one.spec, nodeName: "n2" } as never });
    const siblings = [ready, pod("companion")];
    for (const other of [readySinceUnknown, readyLong, restarted, readyAgain].map(alone)) {
      expect(firstOf([other, ready], siblings)).toBe("ready");
    }
    expect(firstOf([ready, unscheduled], siblings)).toBe("unscheduled");
    expect(firstOf([pending, unscheduled], [pending, pod("companion")])).toBe("unscheduled");
    expect(firstOf([dear, alone(cheap)], [dear, pod("companion")])).toBe("cheap");
    expect(firstOf([dear, alone(cheap)], [dear, pod("companion")], false)).toBe("dear");
  });

  it("replicaset/tests of about the same age and without a UID no pod is preferred", () => {
    const pairs = [
      [pod("a", { ageMs: 5 * HOUR, uid: "" }), pod("b", { ageMs: 8 * HOUR, uid: "" })],
      [
        pod("a", { readyForMs: 5 * HOUR, ageMs: MONTH, uid: "" }),
        pod("b", { readyForMs: 8 * HOUR, ageMs: MONTH, uid: "" }),
      ],
    ] as const;
    for (const [a, b] of pairs) {
      expect(firstOf([a, b])).toBe("a");
      expect(firstOf([b, a])).toBe("b");
    }
  });

  it("replicaset/tests, replicaset/6 as many as requested, in the order of their loss", () => {
    const choose = (
      pods: readonly StoredPod[],
      count: number,
      siblings: readonly StoredPod[] = pods,
    ): readonly string[] =>
      selectPodsToDelete(pods, siblings, count, { now: NOW, usesDeletionCost: true }).map(
        (one) => one.metadata.name ?? "",
      );
    const first = pod("first", { node: "n1", readyForMs: HOUR });
    const second = pod("second", { node: "n2", readyForMs: HOUR });
    const all = [first, second, notReady, pending, unscheduled];
    const names = all.map((one) => one.metadata.name ?? "");
    expect(choose([], 0)).toEqual([]);
    expect(choose(all, 5)).toEqual(names);
    expect(choose(all, 5, [])).toEqual(names);
    expect(choose(all, 3)).toEqual(["unscheduled", "pending", "not-ready"]);
    expect(choose([first, notReady], 1)).toEqual(["not-ready"]);
    expect(choose([pending, unscheduled], 1)).toEqual(["unscheduled"]);
    expect(choose([notReady, pending], 1)).toEqual(["pending"]);
    expect(choose([first, second], 1, [first, second, second])).toEqual(["second"]);
  });
});
