import { describe, expect, it } from "vitest";
import type { OwnerReference } from "#api/meta.ts";
import type { GraphNode } from "./graph-node.ts";
import { type OwnerState, stateOfOwner, type Verdict, verdictOn } from "./verdict.ts";

const DELETED = "2026-01-01T00:00:00Z";

function node(parts: Partial<GraphNode> = {}): GraphNode {
  return {
    identity: { apiVersion: "v1", kind: "Pod", namespace: "a", name: "web", uid: "web" },
    dependents: new Set(),
    owners: [],
    isBeingDeleted: false,
    isDeletingDependents: false,
    isVirtual: false,
    ...parts,
  };
}

const reference = (uid: string): OwnerReference => ({ apiVersion: "v1", kind: "Pod", name: uid, uid });

describe("the state of an owner", () => {
  it("garbage-collector/14 waits only while it is being deleted in the foreground", () => {
    expect(stateOfOwner({})).toBe("solid");
    expect(stateOfOwner({ deletionTimestamp: DELETED })).toBe("solid");
    expect(stateOfOwner({ finalizers: ["foregroundDeletion"] })).toBe("solid");
    expect(stateOfOwner({ deletionTimestamp: DELETED, finalizers: ["orphan"] })).toBe("solid");
    expect(stateOfOwner({ deletionTimestamp: DELETED, finalizers: ["x", "foregroundDeletion"] })).toBe("waiting");
  });
});

describe("the verdict on an object", () => {
  const background: Verdict = { kind: "delete", policy: "Background", unblocks: false };
  const foreground: Verdict = { kind: "delete", policy: "Foreground", unblocks: false };
  const leaf = node();
  const parent = node({ dependents: new Set([leaf]) });
  const inCycle = node({ dependents: new Set([leaf, node({ isDeletingDependents: true })]) });

  const cases: readonly {
    readonly what: string;
    readonly subject?: GraphNode;
    readonly finalizers?: readonly string[];
    readonly owners: readonly OwnerState[];
    readonly verdict: Verdict;
  }[] = [
    { what: "15 a solid owner keeps it", owners: ["solid"], verdict: { kind: "keep" } },
    {
      what: "15 beside a solid owner the dangling and the waiting references go, dangling ones first",
      subject: parent,
      owners: ["waiting", "solid", "dangling"],
      verdict: { kind: "release", ownerUids: ["owner-2", "owner-0"] },
    },
    { what: "17 without an owner it goes", owners: ["dangling", "dangling"], verdict: background },
    {
      what: "17 its own orphan finalizer is honoured",
      finalizers: ["foregroundDeletion", "orphan"],
      owners: ["dangling"],
      verdict: { kind: "delete", policy: "Orphan", unblocks: false },
    },
    {
      what: "17 its own foreground finalizer is honoured",
      finalizers: ["foregroundDeletion"],
      owners: ["dangling"],
      verdict: foreground,
    },
    {
      what: "17 without dependents it goes in the background for a waiting owner",
      owners: ["waiting"],
      verdict: background,
    },
    { what: "16 with dependents it goes in the foreground", subject: parent, owners: ["waiting"], verdict: foreground },
    {
      what: "16 the finalizers do not count then",
      subject: parent,
      finalizers: ["orphan"],
      owners: ["dangling", "waiting"],
      verdict: foreground,
    },
    {
      what: "16 a dependent that deletes its own dependents may close a cycle",
      subject: inCycle,
      owners: ["waiting"],
      verdict: { kind: "delete", policy: "Foreground", unblocks: true },
    },
    {
      what: "17 dependents do not matter when no owner waits",
      subject: inCycle,
      owners: ["dangling"],
      verdict: background,
    },
  ];
  for (const { what, subject = leaf, finalizers = [], owners, verdict } of cases) {
    it(`garbage-collector/${what}`, () => {
      const findings = owners.map((state, i) => ({ reference: reference(`owner-${i}`), state }));
      expect(verdictOn(subject, { finalizers }, findings)).toEqual(verdict);
    });
  }
});
