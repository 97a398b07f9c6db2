// Pods, nodes and other objects for tests of this layer.

import type { Container, Node, NodeSpec, NodeStatus, Pod, PodSpec } from "#api/generated/types/core-v1.ts";
import type { Stored, StoredCluster, StoredObject } from "#api/resource.ts";
import type { ClusterObjects, Objects } from "./cluster-objects.ts";

const stored = (name: string) => ({ name, uid: name, resourceVersion: "1", creationTimestamp: "2027-01-01T00:00:00Z" });

export interface PodParts extends Partial<PodSpec> {
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly isTerminating?: boolean;
  /** For its single container. */
  readonly requests?: Readonly<Record<string, string>>;
}

export function testPod(name: string, parts: PodParts = {}): Stored<Pod> {
  const { namespace = "default", labels = {}, isTerminating = false, requests = {}, ...spec } = parts;
  const main: Container = { name: "main", image: "main", resources: { requests } };
  const deletion = isTerminating ? { deletionTimestamp: "2027-01-01T00:00:01Z" } : {};
  return { metadata: { ...stored(name), namespace, labels, ...deletion }, spec: { containers: [main], ...spec } };
}

export interface NodeParts {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export function testNode(name: string, { labels = {}, spec = {}, status = {} }: NodeParts = {}): StoredCluster<Node> {
  const allocatable = { cpu: "4", memory: "8Gi", pods: "110" };
  return { metadata: { ...stored(name), labels }, spec, status: { allocatable, ...status } };
}

/** Objects by their lister key. */
export function objectsIn<T extends StoredObject>(all: readonly T[] = []): Objects<T> {
  const keyOf = ({ metadata }: T): string => [metadata.namespace, metadata.name].filter(Boolean).join("/");
  const byKey = new Map(all.map((object) => [keyOf(object), object]));
  return {
    get: (key) => byKey.get(key),
    list: (_, namespace) => all.filter(({ metadata }) => !namespace || metadata.namespace === namespace),
  };
}

export function clusterObjects(parts: Partial<ClusterObjects> = {}): ClusterObjects {
  return {
    namespaces: objectsIn(),
    services: objectsIn(),
    replicationControllers: objectsIn(),
    replicaSets: objectsIn(),
    statefulSets: objectsIn(),
    storageClasses: objectsIn(),
    volumes: objectsIn(),
    claims: objectsIn(),
    csiNodes: objectsIn(),
    csiDrivers: objectsIn(),
    capacities: objectsIn(),
    attachmentsOf: () => [],
    ...parts,
  };
}
