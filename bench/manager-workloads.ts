// The workloads of the manager benchmarks: the API requests of each, and how its end is detected.

import { ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { ReplicaSet } from "#api/generated/types/apps-v1.ts";
import type { Draft, Stored } from "#api/resource.ts";
import type { Client } from "#client/client.ts";

export interface Workload {
  readonly name: string;
  /** Resolves when the manager has finished the workload. */
  run(bench: WorkloadStage): Promise<void>;
}

export interface WorkloadStage {
  readonly client: Client;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

const IDLE_MS = 10_000;
const SMALL_SETS = 200;
const SMALL_REPLICAS = 5;

export const idle = (when: string): Workload => ({
  name: `idle ${when}, ${IDLE_MS / 1000} s`,
  run: () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)),
});

/** Scales one ReplicaSet up, down to a fifth, and to zero. */
export function scaleOne(pods: number): readonly Workload[] {
  const name = `web-${pods}`;
  const to = (replicas: number, label: string): Workload => ({
    name: label,
    async run(bench) {
      const done = untilReplicas(bench, new Map([[name, replicas]]));
      const at = { namespace: bench.namespace, name, type: "merge" as const };
      await bench.client.resource(ReplicaSets).patch({ ...at, patch: { spec: { replicas } } }, bench.signal);
      await done;
    },
  });
  return [
    to(pods, `${pods} pods created`),
    to(pods / 5, `${pods} pods scaled down to ${pods / 5}`),
    to(0, `${pods / 5} pods scaled to 0`),
  ];
}

/** The ReplicaSets that scaleOne scales. */
export async function createScaled(bench: WorkloadStage, pods: readonly number[]): Promise<void> {
  const done = untilReplicas(bench, new Map(pods.map((count) => [`web-${count}`, 0])));
  for (const count of pods) await create(bench, replicaSet(`web-${count}`, 0));
  await done;
}

export const manySmall: Workload = {
  name: `${SMALL_SETS} ReplicaSets of ${SMALL_REPLICAS} created`,
  async run(bench) {
    const names = Array.from({ length: SMALL_SETS }, (_, index) => `small-${index}`);
    const done = untilReplicas(bench, new Map(names.map((name) => [name, SMALL_REPLICAS])));
    await Promise.all(names.map((name) => create(bench, replicaSet(name, SMALL_REPLICAS))));
    await done;
  },
};

async function create({ client, namespace, signal }: WorkloadStage, object: Draft<Stored<ReplicaSet>>): Promise<void> {
  await client.resource(ReplicaSets).create({ namespace, object }, signal);
}

/** Watches until the status of each set has caught up with its spec and has the wanted counts. */
async function untilReplicas(bench: WorkloadStage, wanted: ReadonlyMap<string, number>): Promise<void> {
  const waiting = new Map(wanted);
  const look = ({ metadata, spec, status }: ReplicaSet): void => {
    const replicas = waiting.get(metadata?.name ?? "");
    const isSeen = status?.observedGeneration === metadata?.generation;
    const isDone = isSeen && spec?.replicas === replicas && (status?.replicas ?? 0) === replicas;
    if (isDone) waiting.delete(metadata?.name ?? "");
  };
  // The server ends the watch of a client that is too slow; the next watch starts with the present objects.
  while (waiting.size > 0) await watchSets(bench, look, () => waiting.size === 0);
}

async function watchSets(
  { client, namespace, signal }: WorkloadStage,
  look: (set: ReplicaSet) => void,
  isEnough: () => boolean,
): Promise<void> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const watch = await client.resource(ReplicaSets).watch({ namespace, resourceVersion: "0" }, either);
  for await (const batch of watch) {
    for (const { object } of batch) look(object as ReplicaSet);
    if (isEnough()) return stop.abort();
  }
}

function replicaSet(name: string, replicas: number): Draft<Stored<ReplicaSet>> {
  const labels = { app: name };
  const container = {
    name: "main",
    image: "registry.example/web:1.2.3",
    env: [{ name: "MODE", value: "production" }],
    ports: [{ containerPort: 8080 }],
    resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
  };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
