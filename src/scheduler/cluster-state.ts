// All nodes and the pods on them, indexed for decisions. The informers' handlers and the scheduler update it one change
// at a time.
// Upstream: pkg/scheduler/backend/cache

import type { Node } from "#api/generated/types/core-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { NodeState } from "./node-state.ts";
import { PodClass } from "./pod-class.ts";
import type { PodFacts } from "./pod-facts.ts";

const ZONE = "topology.kubernetes.io/zone";
const REGION = "topology.kubernetes.io/region";

export class ClusterState {
  readonly #nodes = new Map<string, NodeState>();
  readonly #nodeOfPod = new Map<string, NodeState>();
  /** By namespace, then by key. */
  readonly #classes = new Map<string, Map<string, PodClass>>();
  readonly #withTerms = new Set<PodClass>();
  readonly #withRequiredAntiAffinity = new Set<PodClass>();
  /** The number of nodes with an image. */
  readonly #imageNodes = new Map<string, number>();
  /** The number of scheduled pods that use a claim. */
  readonly #claimUsers = new Map<string, number>();
  #order: readonly NodeState[] | undefined;

  /** The known nodes, alternating between zones, so that a search that ends early has covered every zone. */
  get nodes(): readonly NodeState[] {
    this.#order ??= zonesInTurn([...this.#nodes.values()].filter(({ node }) => node !== undefined));
    return this.#order;
  }

  node(name: string): NodeState | undefined {
    const state = this.#nodes.get(name);
    return state?.node === undefined ? undefined : state;
  }

  setNode(node: StoredCluster<Node>): void {
    const state = this.#nodeState(node.metadata.name);
    if (state.node === undefined || zoneOf(state.node) !== zoneOf(node)) this.#order = undefined;
    if (imagesOf(state.node) !== imagesOf(node)) {
      this.#countImages(state.node, -1);
      this.#countImages(node, 1);
    }
    state.setNode(node);
  }

  /** The pods stay until their own delete events arrive. */
  removeNode(name: string): void {
    const state = this.#nodes.get(name);
    if (state?.node === undefined) return;
    this.#countImages(state.node, -1);
    state.setNode(undefined);
    this.#order = undefined;
    this.#forgetIfUnused(state);
  }

  /** Puts the pod on the node, and replaces its earlier state. */
  setPod(facts: PodFacts, nodeName: string): void {
    const { uid } = facts.pod.metadata;
    this.removePod(uid);
    const state = this.#nodeState(nodeName);
    state.addPod(facts);
    this.#nodeOfPod.set(uid, state);
    this.#classOf(facts).count(state, 1);
    this.#countClaims(facts, 1);
  }

  /** The pod changed in a way that does not affect scheduling. */
  refreshPod(facts: PodFacts): void {
    const { uid } = facts.pod.metadata;
    this.#nodeOfPod.get(uid)?.pods.set(uid, facts);
  }

  removePod(uid: string): void {
    const state = this.#nodeOfPod.get(uid);
    const facts = state?.pods.get(uid);
    if (state === undefined || facts === undefined) return;
    state.removePod(facts);
    this.#nodeOfPod.delete(uid);
    const podClass = this.#classOf(facts);
    podClass.count(state, -1);
    if (podClass.countByNode.size === 0) this.#forgetClass(facts, podClass);
    this.#countClaims(facts, -1);
    this.#forgetIfUnused(state);
  }

  /** The pod's facts and node, if it has one. */
  placed(uid: string): { readonly facts: PodFacts; readonly node: string } | undefined {
    const state = this.#nodeOfPod.get(uid);
    const facts = state?.pods.get(uid);
    return state === undefined || facts === undefined ? undefined : { facts, node: state.name };
  }

  classesIn(namespace: string): Iterable<PodClass> {
    return this.#classes.get(namespace)?.values() ?? [];
  }

  *allClasses(): Iterable<PodClass> {
    for (const classes of this.#classes.values()) yield* classes.values();
  }

  get classesWithTerms(): ReadonlySet<PodClass> {
    return this.#withTerms;
  }

  get classesWithRequiredAntiAffinity(): ReadonlySet<PodClass> {
    return this.#withRequiredAntiAffinity;
  }

  nodesWithImage(image: string): number {
    return this.#imageNodes.get(image) ?? 0;
  }

  isClaimInUse(key: string): boolean {
    return this.#claimUsers.has(key);
  }

  #nodeState(name: string): NodeState {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const state = new NodeState(name);
    this.#nodes.set(name, state);
    return state;
  }

  #forgetIfUnused(state: NodeState): void {
    if (state.node === undefined && state.pods.size === 0) this.#nodes.delete(state.name);
  }

  #classOf({ pod, classKey }: PodFacts): PodClass {
    const { namespace } = pod.metadata;
    const classes = this.#classes.get(namespace) ?? new Map<string, PodClass>();
    if (classes.size === 0) this.#classes.set(namespace, classes);
    const known = classes.get(classKey);
    if (known !== undefined) return known;
    const podClass = new PodClass(pod);
    classes.set(classKey, podClass);
    if (podClass.hasTerms) this.#withTerms.add(podClass);
    if (podClass.hasRequiredAntiAffinity) this.#withRequiredAntiAffinity.add(podClass);
    return podClass;
  }

  #forgetClass({ pod, classKey }: PodFacts, podClass: PodClass): void {
    const { namespace } = pod.metadata;
    const classes = this.#classes.get(namespace);
    classes?.delete(classKey);
    if (classes?.size === 0) this.#classes.delete(namespace);
    this.#withTerms.delete(podClass);
    this.#withRequiredAntiAffinity.delete(podClass);
  }

  #countImages(node: Node | undefined, change: 1 | -1): void {
    const names = new Set((node?.status?.images ?? []).flatMap((image) => image.names ?? []));
    for (const name of names) changeCount(this.#imageNodes, name, change);
  }

  #countClaims({ pod }: PodFacts, change: 1 | -1): void {
    for (const { persistentVolumeClaim } of pod.spec?.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      changeCount(this.#claimUsers, `${pod.metadata.namespace}/${persistentVolumeClaim.claimName}`, change);
    }
  }
}

function changeCount(counts: Map<string, number>, name: string, change: number): void {
  const count = (counts.get(name) ?? 0) + change;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function zoneOf({ metadata }: Node): string {
  return `${metadata?.labels?.[REGION] ?? ""}:${metadata?.labels?.[ZONE] ?? ""}`;
}

const imagesOf = (node: Node | undefined): string => JSON.stringify(node?.status?.images ?? []);

// Upstream: pkg/scheduler/backend/cache/node_tree.go
function zonesInTurn(nodes: readonly NodeState[]): readonly NodeState[] {
  const zones = [...Map.groupBy(nodes, ({ node }) => (node === undefined ? "" : zoneOf(node))).values()];
  if (zones.length < 2) return nodes;
  const longest = Math.max(...zones.map((zone) => zone.length));
  return Array.from({ length: longest }, (_, index) => zones.flatMap((zone) => zone[index] ?? [])).flat();
}
