// Compares the graph with upstream's graph builder (tools/go/vectors-garbage-collector): random histories of objects
// that are created, changed and deleted, with right and wrong owner references.

import { describe, expect, it } from "vitest";
import type { ObjectMeta, OwnerReference } from "#api/meta.ts";
import { goQuote } from "#base/go-text.ts";
import file from "#test/vectors/garbage-collector.json" with { type: "json" };
import { AbsentOwners } from "./absent-owners.ts";
import { graphToDot } from "./dot.ts";
import { DependencyGraph, type GraphChange } from "./graph.ts";
import type { GraphNode } from "./graph-node.ts";
import { type Identity, identityOfOwner, identityText } from "./identity.ts";

type IdentityRow = readonly [apiVersion: string, kind: string, namespace: string, name: string, uid: string];

interface Step {
  readonly type: "add" | "update" | "delete" | "absent";
  readonly identity: IdentityRow;
  readonly object?: {
    readonly owners?: readonly OwnerReference[];
    readonly deleting?: boolean;
    readonly finalizers?: readonly string[];
  };
  readonly deletes?: readonly string[];
  readonly later?: readonly string[];
  readonly orphans?: readonly string[];
  readonly events?: readonly string[];
}

interface History {
  readonly steps: readonly Step[];
  readonly nodes: readonly string[];
  readonly absent: readonly IdentityRow[];
  readonly dot?: string;
}

const histories = file as unknown as readonly History[];

class Replay {
  readonly absentOwners = new AbsentOwners();
  readonly #deletes = new Set<GraphNode>();
  readonly #later = new Set<GraphNode>();
  readonly #orphans = new Set<GraphNode>();
  readonly #events: string[] = [];
  readonly #seen = new Map<string, ObjectMeta>();
  readonly graph = new DependencyGraph(this.absentOwners, {
    attemptToDelete: (node) => this.#deletes.add(node),
    attemptToDeleteLater: (node) => this.#later.add(node),
    attemptToOrphan: (node) => this.#orphans.add(node),
    ownerIsElsewhere: (dependent, reference) => {
      const { namespace } = dependent.identity;
      const owner = identityText(identityOfOwner(reference, namespace));
      const message = `ownerRef ${owner} does not exist in namespace ${goQuote(namespace)}`;
      this.#events.push(`Warning OwnerRefInvalidNamespace ${message}`);
    },
  });

  /** The same step with our results. */
  play({ type, identity, object }: Step): Step {
    for (const queue of [this.#deletes, this.#later, this.#orphans]) queue.clear();
    this.#events.length = 0;
    this.graph.apply(this.#change(type, identityOf(identity), object));
    return {
      type,
      identity,
      ...(object && { object }),
      ...listed("deletes", texts(this.#deletes)),
      ...listed("later", texts(this.#later)),
      ...listed("orphans", texts(this.#orphans)),
      ...listed("events", this.#events.toSorted()),
    };
  }

  #change(type: Step["type"], identity: Identity, object: Step["object"]): GraphChange {
    if (type === "absent") return { kind: "absent", identity };
    if (type === "delete") return { kind: "deleted", identity };
    const metadata: ObjectMeta = {
      ...(object?.owners && { ownerReferences: object.owners }),
      ...(object?.finalizers && { finalizers: object.finalizers }),
      ...(object?.deleting && { deletionTimestamp: "1970-01-01T00:00:00Z" }),
    };
    const old = type === "update" ? this.#seen.get(identity.uid) : undefined;
    this.#seen.set(identity.uid, metadata);
    return { kind: "seen", identity, metadata, ...(old && { old }) };
  }
}

function identityOf([apiVersion, kind, namespace, name, uid]: IdentityRow): Identity {
  return { apiVersion, kind, namespace, name, uid };
}

function listed<K extends string>(key: K, items: readonly string[]): { readonly [key in K]?: readonly string[] } {
  return items.length === 0 ? {} : ({ [key]: items } as { [key in K]: readonly string[] });
}

function texts(nodes: Iterable<GraphNode>): readonly string[] {
  return [...nodes].map(nodeText).toSorted();
}

function nodeText({ identity, isVirtual }: GraphNode): string {
  return `${identityText(identity)}${isVirtual ? " virtual" : ""}`;
}

function nodeLine(node: GraphNode): string {
  const owners = node.owners.map(({ uid }) => uid).join(" ");
  const dependents = [...node.dependents].map(({ identity }) => identity.uid).toSorted();
  const flags = `being deleted: ${node.isBeingDeleted}, deleting dependents: ${node.isDeletingDependents}`;
  return `${nodeText(node)} ${flags}, owners: ${owners}, dependents: ${dependents.join(" ")}`;
}

describe("the graph", () => {
  it("garbage-collector/1, garbage-collector/2, garbage-collector/3, garbage-collector/4, garbage-collector/5, garbage-collector/6, garbage-collector/7, garbage-collector/8, garbage-collector/9 follows random histories as upstream's graph builder does", () => {
    expect(histories.length).toBeGreaterThan(100);
    for (const { steps, nodes, absent } of histories) {
      const replay = new Replay();
      for (const step of steps) expect(replay.play(step)).toEqual(step);
      expect([...replay.graph.nodes()].map(nodeLine).toSorted()).toEqual([...nodes]);
      for (const identity of absent) expect(replay.absentOwners.has(identityOf(identity))).toBe(true);
      const mentioned = steps.flatMap(({ object }) => object?.owners ?? []);
      const known = new Set(absent.map((row) => identityText(identityOf(row))));
      for (const reference of mentioned) {
        for (const namespace of ["", "a", "b"]) {
          const identity = identityOfOwner(reference, namespace);
          expect(replay.absentOwners.has(identity)).toBe(known.has(identityText(identity)));
        }
      }
    }
  });

  it("garbage-collector/27 prints itself as upstream's debug handler does", () => {
    const printed = histories.filter(({ dot }) => dot !== undefined);
    expect(printed.length).toBeGreaterThan(10);
    for (const { steps, dot } of printed) {
      const replay = new Replay();
      for (const step of steps) replay.play(step);
      expect(graphToDot(replay.graph.nodes())).toBe(dot as string);
    }
  });
});
