// Invariants of the graph after any history of events.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OwnerReference } from "#api/meta.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { DependencyGraph, FOREGROUND, type GraphChange, ORPHAN } from "./graph.ts";
import type { GraphNode } from "./graph-node.ts";
import type { Identity } from "./identity.ts";

const uids = ["u1", "u2", "u3", "u4", "u5"];
const kinds: readonly (readonly [string, string])[] = [
  ["v1", "Pod"],
  ["apps/v1", "Deployment"],
];

const identities: fc.Arbitrary<Identity> = fc.constantFrom(
  ...uids.map((uid, i) => ({
    apiVersion: "v1",
    kind: "Pod",
    namespace: ["a", "b", ""][i % 3] as string,
    name: `pod-${uid}`,
    uid,
  })),
);

const references: fc.Arbitrary<OwnerReference> = fc
  .record({ uid: fc.constantFrom(...uids), kind: fc.constantFrom(...kinds), blocks: fc.boolean() })
  .map(({ uid, kind: [apiVersion, kind], blocks }) => ({
    apiVersion,
    kind,
    name: `pod-${uid}`,
    uid,
    blockOwnerDeletion: blocks,
  }));

const changes: fc.Arbitrary<GraphChange> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        identity: identities,
        ownerReferences: fc.array(references, { maxLength: 3 }),
        finalizers: fc.subarray([ORPHAN, FOREGROUND, "other"]),
        isDeleted: fc.boolean(),
      })
      .map(({ identity, ownerReferences, finalizers, isDeleted }) => ({
        kind: "seen" as const,
        identity,
        metadata: {
          ownerReferences,
          finalizers,
          ...(isDeleted && { deletionTimestamp: "2026-01-01T00:00:00Z" }),
        },
      })),
  },
  { weight: 2, arbitrary: identities.map((identity) => ({ kind: "deleted" as const, identity })) },
  { weight: 1, arbitrary: identities.map((identity) => ({ kind: "absent" as const, identity })) },
);

const silent = {
  attemptToDelete: () => undefined,
  attemptToDeleteLater: () => undefined,
  attemptToOrphan: () => undefined,
  ownerIsElsewhere: () => undefined,
};

describe("the graph after any history", () => {
  it("garbage-collector/1 dependents are nodes of the graph that name the owner", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), (history) => {
        const graph = new DependencyGraph(new AbsentOwners(), silent);
        for (const change of history) {
          graph.apply(change);
          for (const node of graph.nodes()) {
            expect(graph.get(node.identity.uid)).toBe(node);
            for (const dependent of node.dependents) {
              expect(graph.get(dependent.identity.uid)).toBe(dependent);
              expect(dependent.owners.map(({ uid }) => uid)).toContain(node.identity.uid);
            }
          }
        }
      }),
    );
  });

  it("garbage-collector/traps an event that comes twice changes nothing", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 20 }), (history) => {
        const [once, twice] = [0, 0].map(() => new DependencyGraph(new AbsentOwners(), silent)) as [
          DependencyGraph,
          DependencyGraph,
        ];
        for (const change of history) {
          if (change.kind === "absent") continue;
          once.apply(change);
          twice.apply(change);
          twice.apply(change);
          expect(shapeOf(twice)).toEqual(shapeOf(once));
        }
      }),
    );
  });

  it("garbage-collector/7 after its deletion an owner's dependents are queued", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), identities, (history, victim) => {
        const handedOut = new Set<GraphNode>();
        const graph = new DependencyGraph(new AbsentOwners(), {
          ...silent,
          attemptToDelete: (node) => handedOut.add(node),
        });
        for (const change of history) graph.apply(change);
        const dependents = [...(graph.get(victim.uid)?.dependents ?? [])].filter(
          ({ identity }) => identity.uid !== victim.uid,
        );
        handedOut.clear();
        graph.apply({ kind: "deleted", identity: victim });
        expect(graph.get(victim.uid)).toBeUndefined();
        for (const dependent of dependents) expect(handedOut).toContain(dependent);
      }),
    );
  });

  it("garbage-collector/1 is empty once every object is deleted and every virtual node was looked up", () => {
    fc.assert(
      fc.property(fc.array(changes, { maxLength: 30 }), (history) => {
        const graph = new DependencyGraph(new AbsentOwners(), silent);
        const seen = new Map<string, Identity>();
        for (const change of history) {
          graph.apply(change);
          if (change.kind === "seen") seen.set(change.identity.uid, change.identity);
        }
        for (const identity of seen.values()) graph.apply({ kind: "deleted", identity });
        for (const { identity } of [...graph.nodes()]) graph.apply({ kind: "absent", identity });
        expect([...graph.nodes()]).toEqual([]);
      }),
    );
  });
});

function shapeOf(graph: DependencyGraph): unknown {
  return [...graph.nodes()].map(({ dependents, ...node }) => ({
    ...node,
    dependents: [...dependents].map(({ identity }) => identity.uid).toSorted(),
  }));
}
