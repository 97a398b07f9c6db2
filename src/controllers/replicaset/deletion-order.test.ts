import { describe, expect, it } from "vitest";
import type { Pod, PodStatus } from "#api/generated/types/core-v1.ts";
import { formatTime } from "#api/time.ts";
import { selectPodsToDelete } from "./deletion-order.ts";

const NOW = Date.UTC(2026, 0, 2);
const MINUTE = 60_000;

interface Sketch {
  readonly node?: string;
  readonly phase?: string;
  readonly readyForMs?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly ageMs?: number;
  readonly uid?: string;
}

function pod(name: string, sketch: Sketch = {}): Pod {
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
    ...(readyForMs === undefined
      ? {}
      : { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(NOW - readyForMs) }] }),
    ...(restarts === undefined ? {} : { containerStatuses: [container("main", restarts)] }),
    ...(sidecarRestarts === undefined ? {} : { initContainerStatuses: [container("side", sidecarRestarts)] }),
  };
  return {
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
  };
}

const container = (name: string, restartCount: number) => ({ name, restartCount, ready: true, image: "", imageID: "" });

const firstOf = (pods: readonly Pod[], related: readonly Pod[] = [], usesDeletionCost = true): string | undefined =>
  selectPodsToDelete(pods, related, 1, { now: NOW, usesDeletionCost })[0]?.metadata?.name;

describe("deletion order", () => {
  const cases: readonly { readonly what: string; readonly first: Pod; readonly second: Pod }[] = [
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

  it("workloads/S18 more company on its node first, whichever set the company belongs to", () => {
    const crowded = pod("a", { node: "crowded" });
    const lonely = pod("b", { node: "lonely" });
    const company = [crowded, pod("c", { node: "crowded" }), lonely];
    expect(firstOf([lonely, crowded], company)).toBe("a");
    const deadCompany = pod("d", { node: "lonely", phase: "Failed" });
    expect(firstOf([lonely, crowded], [...company, deadCompany, deadCompany, deadCompany])).toBe("a");
  });

  it("workloads/S18 cost is ignored when its gate is off", () => {
    const dear = pod("a", { cost: "100", ageMs: MINUTE });
    const cheap = pod("b", { cost: "-100" });
    expect(firstOf([dear, cheap])).toBe("b");
    expect(firstOf([dear, cheap], [], false)).toBe("a");
  });

  it("replicaset/6 everything goes in any order when all must go", () => {
    const pods = [pod("b", { readyForMs: MINUTE }), pod("a")];
    expect(selectPodsToDelete(pods, [], 2, { now: NOW, usesDeletionCost: true })).toBe(pods);
  });
});
