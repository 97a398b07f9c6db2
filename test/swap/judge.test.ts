// The judge of hand-overs finds the faults that it exists for.

import { describe, expect, it } from "vitest";
import type { AuditEvent } from "#test/real/audit-log.ts";
import type { Side } from "#test/real/daemon.ts";
import { type ClusterState, stateDifferences } from "./cluster-state.ts";
import {
  countDifferences,
  createdAgain,
  createdIn,
  deletedTwice,
  deletedTwiceByGo,
  evictedAnew,
  forbidden,
  writesOutOfTurn,
} from "./judge.ts";
import type { HandOver } from "./story.ts";

const agents = {
  go: "kube-controller-manager/v0.0.0 (linux/amd64)",
  ours: "kube-controller-manager/v1.36.4 (linux/amd64)",
};
let count = 0;

function event(side: Side, second: number, more: Partial<AuditEvent>): AuditEvent {
  return {
    auditID: String(++count),
    stage: "ResponseComplete",
    verb: "create",
    requestURI: "/x",
    user: { username: "system:serviceaccount:kube-system:replicaset-controller" },
    userAgent: agents[side],
    objectRef: { resource: "pods", namespace: "a", name: "p" },
    responseStatus: { code: 200 },
    responseObject: { metadata: { name: "p", namespace: "a", uid: "1" } },
    requestReceivedTimestamp: `2026-01-01T00:00:${String(second).padStart(2, "0")}.000000Z`,
    stageTimestamp: "",
    ...more,
  };
}

const lease = (side: Side, second: number, holderIdentity: string): AuditEvent =>
  event(side, second, {
    verb: "update",
    objectRef: { resource: "leases", name: "kube-controller-manager" },
    responseObject: { metadata: { name: "kube-controller-manager" }, spec: { holderIdentity } },
  });

const state = (byLabel: Readonly<Record<string, readonly string[]>>): ClusterState => ({
  objects: 0,
  kinds: 0,
  uids: new Map(),
  labels: new Map(),
  byLabel: new Map(Object.entries(byLabel)),
});

function handOver(...audit: readonly AuditEvent[]): HandOver {
  return {
    step: 0,
    ending: "kill",
    from: "go",
    to: "ours",
    previousHolder: "a",
    state: state({}),
    added: new Map(),
    replaced: [],
    born: [],
    died: [],
    audit,
  };
}

describe("the judge of hand-overs", () => {
  const takeover = [lease("go", 1, "a"), lease("ours", 10, "b")];

  it("finds the leader at each time", () => {
    expect(writesOutOfTurn(handOver(...takeover, event("go", 5, {}), event("ours", 11, {})))).toEqual([]);
    expect(writesOutOfTurn(handOver(...takeover, event("ours", 9, {})))).toHaveLength(1);
    expect(writesOutOfTurn(handOver(...takeover, event("go", 12, {})))).toHaveLength(1);
    expect(writesOutOfTurn(handOver(lease("go", 1, "a"), lease("go", 10, "c")))).toEqual(["the lease went to go c"]);
  });

  it("finds an object that both deleted, and ignores repeated evictions of the pods of a failed node", () => {
    const removal = (side: Side, second: number, account: string): AuditEvent =>
      event(side, second, { verb: "delete", user: { username: `system:serviceaccount:kube-system:${account}` } });
    const by = (account: string, ...deletes: readonly (readonly [Side, number])[]): HandOver =>
      handOver(...takeover, ...deletes.map(([side, second]) => removal(side, second, account)));
    expect(deletedTwice(by("replicaset-controller", ["go", 5], ["ours", 11]))).toHaveLength(1);
    expect(deletedTwice(by("node-controller", ["go", 5], ["ours", 11]))).toEqual([]);
    expect(evictedAnew(by("node-controller", ["go", 5], ["ours", 11]))).toBe(1);
    expect(deletedTwice(by("node-controller", ["go", 5], ["ours", 11], ["ours", 12]))).toEqual([]);
    expect(deletedTwice(by("node-controller", ["ours", 11], ["ours", 12], ["ours", 13]))).toHaveLength(1);
    expect(deletedTwice(by("node-controller", ["go", 5], ["go", 6], ["ours", 11]))).toHaveLength(1);
  });

  it("reports objects that only Go deletes again", () => {
    const removal = event("go", 5, { verb: "delete" });
    expect(deletedTwice(handOver(...takeover, removal, removal))).toEqual([]);
    expect(deletedTwiceByGo(handOver(...takeover, removal, removal))).toHaveLength(1);
  });

  it("counts created objects by answers and by existing objects", () => {
    const created = event("ours", 5, {
      objectRef: { resource: "jobs", apiGroup: "batch", namespace: "a" },
      responseStatus: { code: 201 },
      responseObject: { metadata: { name: "j-12345", generateName: "j-", namespace: "a", uid: "9" } },
    });
    expect(createdIn({ ...handOver(created), added: new Map([["8", "configmaps a/m"]]) })).toEqual([
      "configmaps a/m",
      "jobs.batch a/j-{?}",
    ]);
    expect(countDifferences(["x", "x", "y"], ["x", "z"])).toEqual([
      "1 fewer than the control: x",
      "1 fewer than the control: y",
      "1 more than the control: z",
    ]);
  });

  it("distinguishes refusals by RBAC from those of a terminating namespace, and finds repeated creates", () => {
    const refused = (message: string): AuditEvent => event("ours", 5, { responseStatus: { code: 403, message } });
    expect(forbidden(handOver(refused("no role")))).toHaveLength(1);
    expect(forbidden(handOver(refused("namespace x: because it is being terminated")))).toEqual([]);
    const again = event("ours", 5, { responseStatus: { code: 409, reason: "AlreadyExists" } });
    expect(createdAgain(handOver(again))).toHaveLength(1);
  });

  it("finds where two states differ", () => {
    const control = state({ "pods a/p": ["{1}"], "pods a/q": ["{2}"] });
    expect(stateDifferences(control, control)).toEqual([]);
    expect(stateDifferences(control, state({ "pods a/p": ["{3}"], "pods a/q": [] }))).toEqual([
      "pods a/p: control …{1}… here …{3}…",
      "pods a/q: 1 in the control, 0 here",
    ]);
  });
});
