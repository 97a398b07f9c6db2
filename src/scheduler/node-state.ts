// One node with the pods that are bound or assumed to it, and their resources, updated pod by pod.
// Upstream: pkg/scheduler/framework/types.go, NodeInfo

import type { Node } from "#api/generated/types/core-v1.ts";
import type { Labels } from "#api/label-selector.ts";
import type { StoredCluster } from "#api/resource.ts";
import { HostPorts } from "./host-ports.ts";
import type { PodFacts } from "./pod-facts.ts";
import { type NodeResources, nodeResources } from "./resource-totals.ts";

const NO_LABELS: Labels = {};
const NO_RESOURCES: NodeResources = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map(), pods: 0 };

interface Requested {
  milliCpu: number;
  memory: number;
  ephemeralStorage: number;
  readonly scalars: Map<string, number>;
}

export class NodeState {
  readonly name: string;
  /** Undefined while pods are bound to an unknown or deleted node. */
  node: StoredCluster<Node> | undefined;
  labels: Labels = NO_LABELS;
  allocatable: NodeResources = NO_RESOURCES;
  readonly requested: Requested = { milliCpu: 0, memory: 0, ephemeralStorage: 0, scalars: new Map() };
  readonly nonZero: { milliCpu: number; memory: number } = { milliCpu: 0, memory: 0 };
  readonly hostPorts: HostPorts = new HostPorts();
  /** By UID. */
  readonly pods: Map<string, PodFacts> = new Map();

  constructor(name: string) {
    this.name = name;
  }

  setNode(node: StoredCluster<Node> | undefined): void {
    // Most updates are heartbeats.
    if (
      node === undefined ||
      JSON.stringify(node.status?.allocatable) !== JSON.stringify(this.node?.status?.allocatable)
    ) {
      this.allocatable = node === undefined ? NO_RESOURCES : nodeResources(node);
    }
    this.labels = node?.metadata.labels ?? NO_LABELS;
    this.node = node;
  }

  addPod(facts: PodFacts): void {
    this.pods.set(facts.pod.metadata.uid, facts);
    this.#count(facts, 1);
    for (const port of facts.hostPorts) this.hostPorts.add(port);
  }

  removePod(facts: PodFacts): void {
    if (!this.pods.delete(facts.pod.metadata.uid)) return;
    this.#count(facts, -1);
    for (const port of facts.hostPorts) this.hostPorts.remove(port);
  }

  #count({ resources }: PodFacts, sign: 1 | -1): void {
    const { requested, nonZero } = this;
    requested.milliCpu += sign * resources.milliCpu;
    requested.memory += sign * resources.memory;
    requested.ephemeralStorage += sign * resources.ephemeralStorage;
    for (const [name, amount] of resources.scalars) {
      requested.scalars.set(name, (requested.scalars.get(name) ?? 0) + sign * amount);
    }
    nonZero.milliCpu += sign * resources.nonZero.milliCpu;
    nonZero.memory += sign * resources.nonZero.memory;
  }
}
