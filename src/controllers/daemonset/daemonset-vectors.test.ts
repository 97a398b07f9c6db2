// The pure decisions, compared with upstream's (tools/go/vectors-daemonset).

import { expect, it } from "vitest";
import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { PodSpec } from "#api/generated/types/core-v1.ts";
import type { Draft } from "#api/resource.ts";
import { stored } from "#api/testing.ts";
import file from "#test/vectors/daemonset.json" with { type: "json" };
import type { DaemonSet, StoredNode, StoredPod } from "./model.ts";
import { planNode } from "./node-plan.ts";
import { placementOn } from "./placement.ts";
import { planUpdate } from "./rolling-update.ts";

interface Plan {
  readonly creates: readonly string[] | null;
  readonly deletes: readonly string[] | null;
}

interface PlacementRow {
  readonly spec: PodSpec;
  readonly node: Draft<StoredNode>;
  readonly comparesTaints: boolean;
  readonly shouldRun: boolean;
  readonly mayStay: boolean;
}

interface NodeRow extends Plan {
  readonly set: Draft<DaemonSet>;
  readonly node: Draft<StoredNode>;
  readonly pods: readonly Draft<StoredPod>[] | null;
}

interface UpdateRow extends Plan {
  readonly set: Draft<DaemonSet>;
  readonly nodes: readonly Draft<StoredNode>[];
  readonly pods: readonly Draft<StoredPod>[] | null;
}

const vectors = file as unknown as {
  readonly placements: readonly PlacementRow[];
  readonly nodes: readonly NodeRow[];
  readonly updates: readonly UpdateRow[];
};

const [hash, now] = ["new", 1_800_000_000_000];
const podsOf = (drafts: readonly Draft<StoredPod>[] | null): readonly StoredPod[] =>
  (drafts ?? []).map((draft) => stored(Pods, draft));
const names = (pods: readonly StoredPod[]): string[] => pods.map(({ metadata }) => metadata.name);

it("daemonset/2, daemonset/8 puts pods on the nodes where upstream puts them", () => {
  for (const { spec, node, comparesTaints, ...expected } of vectors.placements) {
    const set = stored(DaemonSets, { metadata: { name: "agent" }, spec: { selector: {}, template: { spec } } });
    const found = placementOn(stored(Nodes, node), set, comparesTaints);
    expect(found, JSON.stringify({ spec, node, comparesTaints })).toEqual(expected);
  }
});

it("daemonset/5, daemonset/6, daemonset/7 creates and deletes on a node what upstream does", () => {
  for (const { set: draft, node: nodeDraft, pods, creates, deletes } of vectors.nodes) {
    const [set, node] = [stored(DaemonSets, draft), stored(Nodes, nodeDraft)];
    const there = pods === null ? undefined : podsOf(pods);
    const plan = planNode(set, there, placementOn(node, set, false), { hash, now });
    const found = {
      creates: plan.creates ? [node.metadata.name] : [],
      deletes: names([...plan.failed, ...plan.succeeded, ...plan.surplus]).toSorted(),
    };
    expect(found, JSON.stringify({ draft, nodeDraft, pods })).toEqual({
      creates: creates ?? [],
      deletes: (deletes ?? []).toSorted(),
    });
  }
});

/** Of several available old pods upstream takes a random one: these pods and nodes are named "any-…" and "away-…". */
const anonymous = (given: readonly string[]): readonly string[] =>
  given.map((name) => (/^(any|away)-/.test(name) ? "any" : name)).toSorted();

it("daemonset/10, daemonset/11 goes as far in a rolling update as upstream", () => {
  for (const { set: draft, nodes: nodeDrafts, pods, creates, deletes } of vectors.updates) {
    const [set, nodes] = [stored(DaemonSets, draft), nodeDrafts.map((node) => stored(Nodes, node))];
    const placed = nodes.filter((node) => placementOn(node, set, false).shouldRun);
    const desired = new Set(placed.map(({ metadata }) => metadata.name));
    const byNode = Map.groupBy(podsOf(pods), ({ spec }) => spec?.nodeName ?? "");
    for (const name of desired) if (!byNode.has(name)) byNode.set(name, []);
    const shouldRunOn = (name: string): boolean => desired.has(name);
    const plan = planUpdate(set, { hash, now, podsByNode: byNode, desired: desired.size, shouldRunOn });
    const found = { creates: anonymous(plan.creates), deletes: anonymous(names(plan.deletes)) };
    expect(found, JSON.stringify({ draft, nodeDrafts, pods })).toEqual({
      creates: anonymous(creates ?? []),
      deletes: anonymous(deletes ?? []),
    });
  }
});
