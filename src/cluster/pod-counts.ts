// The number of nodes, and of pods by phase: updated with each write of the store, so that reading costs nothing.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ApiServer } from "#apiserver/create-api-server.ts";
import type { Storage, StoredVersion, Table } from "#apiserver/storage/storage.ts";

export interface ClusterCounts {
  readonly nodes: number;
  readonly pods: number;
  /** By phase, the most frequent one first. */
  readonly phases: readonly (readonly [phase: string, count: number])[];
}

export function followCounts(server: Pick<ApiServer, "registry">, storage: Storage): () => ClusterCounts {
  const tableOf = (resource: string): Table => {
    const endpoint = server.registry.endpoint("", "v1", resource);
    return storage.table(endpoint?.row.table ?? resource);
  };
  const nodes = tableOf("nodes");
  const pods = tableOf("pods");
  const counts = new Map<string, number>();
  const add = (version: StoredVersion, by: number): void => {
    const phase = (version.object as Pod).status?.phase ?? "Pending";
    counts.set(phase, (counts.get(phase) ?? 0) + by);
  };
  for (const version of pods.scan({ prefix: "" })) add(version, 1);
  pods.subscribe((version) => {
    const { previous } = version;
    if (previous !== undefined && !previous.isDeletion) add(previous, -1);
    if (!version.isDeletion) add(version, 1);
  });
  return () => ({
    nodes: nodes.size,
    pods: pods.size,
    phases: [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a),
  });
}
