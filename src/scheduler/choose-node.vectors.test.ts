// Compares decisions with Go's scheduler in 500 generated clusters (tools/go/vectors-scheduler): the fitting nodes,
// their total scores, and the message when there is none.

import { describe, expect, it } from "vitest";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import type { KubeObject } from "#api/object.ts";
import type { Stored, StoredCluster, StoredObject } from "#api/resource.ts";
import { seededRng } from "#base/seeded-rng.ts";
import recorded from "#test/vectors/scheduler.json" with { type: "json" };
import { NodeChooser } from "./choose-node.ts";
import type { ClusterObjects, Objects } from "./cluster-objects.ts";
import { ClusterState } from "./cluster-state.ts";
import { podFacts } from "./pod-facts.ts";
import { objectsIn } from "./testing.ts";

interface Cluster {
  readonly nodes: readonly number[];
  readonly bound: readonly (readonly [number, number])[];
  readonly pending: readonly Pending[];
}

interface Pending {
  readonly pod: number;
  readonly scores?: readonly (readonly [number, number])[];
  readonly why?: string;
}

const { world, nodes, pods, clusters } = recorded as {
  readonly world: Readonly<Record<string, readonly KubeObject[]>>;
  readonly nodes: readonly StoredCluster<Node>[];
  readonly pods: readonly Stored<Pod>[];
  readonly clusters: readonly Cluster[];
};

const objectsOf = <T extends StoredObject>(kind: string): Objects<T> => objectsIn((world[kind] ?? []) as readonly T[]);

const objects: ClusterObjects = {
  namespaces: objectsOf("namespaces"),
  services: objectsOf("services"),
  replicationControllers: objectsOf("replicationControllers"),
  replicaSets: objectsOf("replicaSets"),
  statefulSets: objectsOf("statefulSets"),
  storageClasses: objectsOf("storageClasses"),
  volumes: objectsOf("volumes"),
  claims: objectsOf("claims"),
  csiNodes: objectsOf("csiNodes"),
  csiDrivers: objectsOf("csiDrivers"),
  capacities: objectsOf("capacities"),
  attachmentsOf: () => [],
};

function namedNode(template: number, index: number): StoredCluster<Node> {
  const node = nodes[template] as StoredCluster<Node>;
  const name = `n${index}`;
  const labels = { ...node.metadata.labels, "kubernetes.io/hostname": name };
  return { ...node, metadata: { ...node.metadata, name, labels } };
}

function namedPod(template: number, name: string, isTerminating = false): Stored<Pod> {
  const pod = pods[template] as Stored<Pod>;
  const deletion = isTerminating ? { deletionTimestamp: "2027-01-15T08:00:00Z" } : {};
  return { ...pod, metadata: { ...pod.metadata, name, uid: name, ...deletion } };
}

function stateOf(cluster: Cluster): ClusterState {
  const state = new ClusterState();
  cluster.nodes.forEach((template, index) => {
    state.setNode(namedNode(template, index));
  });
  cluster.bound.forEach(([template, node], index) => {
    const pod = namedPod(template, `b${index}`, node < 0);
    state.setPod(podFacts(pod), `n${node < 0 ? -node - 1 : node}`);
  });
  return state;
}

/** In the form of the vectors. */
function decide(state: ClusterState, pod: Stored<Pod>): Omit<Pending, "pod"> & { readonly choice?: string } {
  const chooser = new NodeChooser({ state, objects, rng: seededRng("vectors"), comparesIntegers: false });
  const facts = podFacts(pod);
  const fitting = chooser.fittingNodes(facts, new Map());
  if ("message" in fitting) return { why: fitting.message };
  const totals = fitting.length === 1 ? [0] : chooser.rank(facts, fitting);
  const choice = chooser.choose(facts);
  if ("message" in choice) throw new Error("one decision finds a node, the other none");
  const scores = fitting.map((node, index) => [Number(node.name.slice(1)), totals[index] ?? 0] as const);
  return { scores: scores.toSorted(([a], [b]) => a - b), choice: choice.node.name };
}

describe("the choice of a node", () => {
  it("scheduler/1 agrees with Go's scheduler on fit, messages and scores in 500 clusters", () => {
    const differences = clusters.flatMap((cluster, number) => {
      const state = stateOf(cluster);
      return cluster.pending.flatMap(({ pod, ...expected }, index) => {
        const { choice, ...decided } = decide(state, namedPod(pod, `p${index}`));
        const best = Math.max(...(expected.scores ?? []).map(([, score]) => score));
        const isBest = expected.scores?.some(([node, score]) => score === best && choice === `n${node}`) ?? true;
        const isSame = JSON.stringify(decided) === JSON.stringify(expected);
        return isSame && isBest ? [] : [{ number, index, pod, choice, decided, expected }];
      });
    });
    expect(clusters.length).toBe(500);
    expect(differences.slice(0, 3)).toEqual([]);
  });
});
