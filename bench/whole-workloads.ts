// The workloads of the whole manager, in pieces: each piece has a separate control plane and manager. No node runs the
// pods: they stay Pending, and no workload waits for more.

import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import {
  ConfigMaps,
  Namespaces,
  Nodes,
  Pods,
  Secrets,
  ServiceAccounts,
  Services,
} from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import { idle, type Workload, type WorkloadStage } from "./manager-workloads.ts";
import { sleep } from "./plane.ts";

/** For pods, of which a watch would cost the API server more than it measures. */
const POLL_MS = 50;
const WRITERS = 8;
const CHURN_SECONDS = 20;
const CHANGES_PER_SECOND = 50;
const MS_PER_MINUTE = 60_000;
/** The CronJobs are created this long before they are due. */
const BEFORE_DUE_MS = 15_000;
/** For half a minute after a start, the runtimes adjust their heaps. */
const SETTLE_MS = 30_000;

/** Workloads that run one after the other on one control plane. */
export interface Piece {
  readonly name: string;
  /** The name of the start's sample, in pieces that measure it. */
  readonly start?: string;
  /** Runs before the manager starts. */
  fill?(bench: WorkloadStage): Promise<void>;
  /** Runs with the manager, before the measurement. */
  prepare?(bench: WorkloadStage): Promise<void>;
  readonly workloads: readonly Workload[];
}

interface Sizes {
  readonly pods: readonly number[];
  readonly deployments: number;
  readonly services: number;
  readonly namespaceObjects: number;
  readonly jobPods: number;
  readonly indexedJobs: number;
  readonly cronJobs: number;
  readonly churnedPods: number;
  readonly objects: number;
}

export const wholeSizes: Sizes = {
  pods: [1000, 5000],
  deployments: 100,
  services: 500,
  namespaceObjects: 3000,
  jobPods: 300,
  indexedJobs: 50,
  cronJobs: 200,
  churnedPods: 5000,
  objects: 20_000,
};

export const quickSizes: Sizes = {
  pods: [200],
  deployments: 10,
  services: 50,
  namespaceObjects: 300,
  jobPods: 50,
  indexedJobs: 5,
  cronJobs: 20,
  churnedPods: 200,
  objects: 500,
};

export function wholePieces(sizes: Sizes): readonly Piece[] {
  const { deployments, objects } = sizes;
  return [
    { name: "start", start: "start to synced, empty", workloads: [] },
    { name: "start-full", start: `start to synced, ${objects} objects`, fill: fill(objects), workloads: [] },
    { name: "idle", prepare: () => sleep(SETTLE_MS), workloads: [idle("after the start")] },
    ...sizes.pods.map((pods) => ({ name: `pods-${pods}`, workloads: [deployPods(pods), deletePods(pods)] })),
    { name: "deployments", workloads: [deployMany(deployments), rollOut(deployments)] },
    { name: "services", prepare: runEndpoints, workloads: [serve(sizes.services)] },
    {
      name: "namespace",
      prepare: fillNamespace(sizes.namespaceObjects),
      workloads: [deleteNamespace(sizes.namespaceObjects)],
    },
    { name: "jobs", workloads: [oneJob(sizes.jobPods), indexedJobs(sizes.indexedJobs)] },
    { name: "cronjobs", prepare: beforeNextMinute, workloads: [cronJobs(sizes.cronJobs)] },
    {
      name: "churn",
      prepare: createChurned(sizes.churnedPods),
      workloads: [churn(sizes.churnedPods), idle(`with ${sizes.churnedPods} pods`)],
    },
  ];
}

/** Objects that a starting manager must read but not work on. */
const fill =
  (objects: number) =>
  async (bench: WorkloadStage): Promise<void> => {
    const part = Math.ceil(objects / 4);
    const pods = names("stray", part * 2).map((name) => ({
      metadata: { name, labels: { app: "stray" } },
      spec: { containers: [container] },
    }));
    await create(bench, Pods, pods as never);
    const data = { key: "value".repeat(20) };
    await create(bench, ConfigMaps, names("map", part).map((name) => ({ metadata: { name }, data })) as never);
    const stringData = data;
    await create(bench, Secrets, names("secret", part).map((name) => ({ metadata: { name }, stringData })) as never);
  };

/** Creates pods that concern no controller, in a separate namespace. */
export async function createUnrelated({ client, signal }: WorkloadStage, count: number): Promise<void> {
  const namespace = "unrelated";
  await client.resource(Namespaces).create({ object: { metadata: { name: namespace } } }, signal);
  await client.resource(ServiceAccounts).create({ namespace, object: { metadata: { name: "default" } } }, signal);
  const pods = names("unrelated", count).map((name) => ({ metadata: { name }, spec: { containers: [container] } }));
  await create({ client, namespace, signal }, Pods, pods as never);
}

/**
 * Creates work whose completion shows that a manager has synced: a Deployment and a Job, which get a pod, and an object
 * whose owner is gone. To delete it, the garbage collector must know all objects of all kinds.
 */
export async function plantCanaries(bench: WorkloadStage): Promise<void> {
  await create(bench, Deployments, [deployment("canary", 1)]);
  await create(bench, Jobs, [{ metadata: { name: "canary" }, spec: { template: jobTemplate } }] as never);
  const uid = "00000000-0000-4000-8000-000000000000";
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "gone", uid }];
  await create(bench, ConfigMaps, [{ metadata: { name: "canary", ownerReferences } }] as never);
}

export async function untilCanariesDone(bench: WorkloadStage): Promise<void> {
  await untilAll(bench, Deployments, 1, ({ metadata, status }) => metadata.name === "canary" && status?.replicas === 1);
  await untilAll(bench, Jobs, 1, ({ metadata, status }) => metadata.name === "canary" && status?.active === 1);
  await untilGone(bench, ConfigMaps, { namespace: bench.namespace, name: "canary" });
}

const container = {
  name: "main",
  image: "registry.example/web:1.2.3",
  env: [{ name: "MODE", value: "production" }],
  ports: [{ containerPort: 8080 }],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
};

/** All old pods may be unavailable at once: no pod becomes ready here. */
function deployment(name: string, replicas: number, image = container.image): Draft<never> {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas,
      strategy: { rollingUpdate: { maxUnavailable: "100%", maxSurge: 0 } },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ ...container, image }] } },
    },
  } as never;
}

const deployPods = (count: number): Workload => ({
  name: `Deployment of ${count} pods created`,
  async run(bench) {
    await create(bench, Deployments, [deployment(`large-${count}`, count)]);
    await untilAll(
      bench,
      Deployments,
      1,
      ({ metadata, status }) => metadata.name === `large-${count}` && status?.replicas === count,
    );
  },
});

const deletePods = (count: number): Workload => ({
  name: `Deployment of ${count} pods deleted, cascading`,
  async run(bench) {
    const { client, namespace, signal } = bench;
    const options = { propagationPolicy: "Background" as const };
    await client.resource(Deployments).delete({ namespace, name: `large-${count}`, options }, signal);
    const left = { namespace, labelSelector: `app=large-${count}`, limit: 1 };
    while ((await client.resource(Pods).list(left, signal)).items.length > 0) await sleep(POLL_MS);
  },
});

const names = (prefix: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

const deployMany = (count: number): Workload => ({
  name: `${count} Deployments of 5 created`,
  async run(bench) {
    await create(
      bench,
      Deployments,
      names("small", count).map((name) => deployment(name, 5)),
    );
    await untilAll(bench, Deployments, count, ({ metadata, status }) =>
      metadata.name.startsWith("small-") ? (status?.replicas ?? 0) === 5 : false,
    );
  },
});

const rollOut = (count: number): Workload => ({
  name: `${count} Deployments of 5 rolled out`,
  async run(bench) {
    const { client, namespace, signal } = bench;
    const patch = {
      spec: { template: { spec: { containers: [{ ...container, image: "registry.example/web:2.0.0" }] } } },
    };
    await inParallel(names("small", count), (name) =>
      client.resource(Deployments).patch({ namespace, name, type: "merge", patch }, signal),
    );
    await untilAll(bench, Deployments, count, ({ metadata, status }) => {
      const isRolled = status?.observedGeneration === metadata.generation && status?.updatedReplicas === 5;
      return metadata.name.startsWith("small-") && isRolled && status?.replicas === 5;
    });
  },
});

/** Creates ready pods on a node. The node has a minute before it counts as lost. */
async function runEndpoints(bench: WorkloadStage): Promise<void> {
  const { client, namespace, signal } = bench;
  const nodeName = "node";
  await client.resource(Nodes).create({ object: { metadata: { name: nodeName } } }, signal);
  const pods = names("endpoint", 20);
  const spec = { nodeName, containers: [container] };
  await create(bench, Pods, pods.map((name) => ({ metadata: { name, labels: { serves: "yes" } }, spec })) as never);
  await inParallel([...pods.entries()], ([index, name]) => {
    const podIP = `10.20.0.${index + 1}`;
    const patch = {
      status: { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions: [{ type: "Ready", status: "True" }] },
    };
    return client.resource(Pods).patch({ namespace, name, type: "merge", patch, subresource: "status" }, signal);
  });
}

const serve = (count: number): Workload => ({
  name: `${count} Services with 20 endpoints each`,
  async run(bench) {
    const spec = { selector: { serves: "yes" }, ports: [{ port: 80 }] };
    await create(bench, Services, names("service", count).map((name) => ({ metadata: { name }, spec })) as never);
    await untilAll(bench, EndpointSlices, count, ({ endpoints }) => (endpoints ?? []).length === 20);
  },
});

const FULL = "full";

const fillNamespace =
  (count: number) =>
  async ({ client, signal }: WorkloadStage): Promise<void> => {
    await client.resource(Namespaces).create({ object: { metadata: { name: FULL } } }, signal);
    const maps = names("map", count).map((name) => ({ metadata: { name } }));
    await create({ client, namespace: FULL, signal }, ConfigMaps, maps as never);
  };

const deleteNamespace = (count: number): Workload => ({
  name: `namespace of ${count} objects deleted`,
  async run(bench) {
    await bench.client.resource(Namespaces).delete({ name: FULL }, bench.signal);
    await untilGone(bench, Namespaces, { name: FULL });
  },
});

const jobTemplate = { spec: { restartPolicy: "Never", containers: [container] } };

const oneJob = (pods: number): Workload => ({
  name: `Job of ${pods} pods`,
  async run(bench) {
    const spec = { parallelism: pods, completions: pods, template: jobTemplate };
    await create(bench, Jobs, [{ metadata: { name: "wide" }, spec }] as never);
    await untilAll(bench, Jobs, 1, ({ metadata, status }) => metadata.name === "wide" && status?.active === pods);
  },
});

const indexedJobs = (count: number): Workload => ({
  name: `${count} indexed Jobs of 5 pods`,
  async run(bench) {
    const spec = { parallelism: 5, completions: 5, completionMode: "Indexed", template: jobTemplate };
    await create(bench, Jobs, names("indexed", count).map((name) => ({ metadata: { name }, spec })) as never);
    await untilAll(bench, Jobs, count, ({ metadata, status }) =>
      metadata.name.startsWith("indexed-") ? status?.active === 5 : false,
    );
  },
});

/** Gives both managers the same time to see the CronJobs. */
async function beforeNextMinute(): Promise<void> {
  const leftMs = MS_PER_MINUTE - (Date.now() % MS_PER_MINUTE);
  await sleep((leftMs - BEFORE_DUE_MS + MS_PER_MINUTE) % MS_PER_MINUTE);
}

const cronJobs = (count: number): Workload => ({
  name: `${count} CronJobs in a minute`,
  async run(bench) {
    const spec = { schedule: "* * * * *", jobTemplate: { spec: { suspend: true, template: jobTemplate } } };
    await create(bench, CronJobs, names("cron", count).map((name) => ({ metadata: { name }, spec })) as never);
    await untilAll(bench, CronJobs, count, ({ status }) => (status?.active ?? []).length > 0);
  },
});

const createChurned =
  (pods: number) =>
  async (bench: WorkloadStage): Promise<void> => {
    await create(bench, ReplicaSets, [replicaSet(pods)]);
    await untilAll(bench, ReplicaSets, 1, ({ status }) => status?.replicas === pods);
  };

const churn = (pods: number): Workload => ({
  name: `${CHANGES_PER_SECOND} changes a second among ${pods} pods, ${CHURN_SECONDS} s`,
  async run(bench) {
    const { client, namespace, signal } = bench;
    const { items } = await client.metadata(Pods).list({ namespace, labelSelector: "app=churned" }, signal);
    const begin = performance.now();
    for (let change = 0; change < CHANGES_PER_SECOND * CHURN_SECONDS; change++) {
      const name = items[change % items.length]?.metadata?.name ?? "";
      const patch = { metadata: { annotations: { change: String(change) } } };
      await client.resource(Pods).patch({ namespace, name, type: "merge", patch }, signal);
      const aheadMs = (change * 1000) / CHANGES_PER_SECOND - (performance.now() - begin);
      if (aheadMs > 0) await sleep(aheadMs);
    }
  },
});

function replicaSet(replicas: number): Draft<never> {
  const labels = { app: "churned" };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return { metadata: { name: "churned" }, spec: { replicas, selector: { matchLabels: labels }, template } } as never;
}

async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const work = async (): Promise<void> => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: WRITERS }, work));
}

function create<T extends StoredObject>(
  { client, namespace, signal }: WorkloadStage,
  resource: Resource<T>,
  objects: readonly Draft<T>[],
): Promise<void> {
  return inParallel(objects, (object) => client.resource(resource).create({ namespace, object }, signal));
}

/** Watches until the object is deleted. A poll would add up to its period to a start, which takes as long as that. */
async function untilGone<T extends StoredObject>(
  { client, signal }: WorkloadStage,
  resource: Resource<T>,
  target: { readonly namespace?: string; readonly name: string },
): Promise<void> {
  const { name, ...scope } = target;
  for (;;) {
    const read = client.resource(resource).get(target, signal);
    const found = await read.catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
      return undefined;
    });
    if (found === undefined) return;
    const { resourceVersion = "" } = found.metadata;
    const stop = new AbortController();
    const watch = await client
      .resource(resource)
      .watch(
        { ...scope, fieldSelector: `metadata.name=${name}`, resourceVersion },
        AbortSignal.any([signal, stop.signal]),
      );
    for await (const batch of watch) if (batch.some(({ type }) => type === "DELETED")) break;
    stop.abort();
  }
}

/** Watches until `count` objects match. The cost for the API server does not depend on the time that this takes. */
async function untilAll<T extends StoredObject>(
  { client, namespace, signal }: WorkloadStage,
  resource: Resource<T>,
  count: number,
  fits: (object: T) => boolean,
): Promise<void> {
  const fitting = new Set<string>();
  // The server ends the watch of a client that is too slow; the next watch starts with the present objects.
  while (fitting.size < count) {
    fitting.clear();
    const stop = new AbortController();
    const watch = await client
      .resource(resource)
      .watch({ namespace, resourceVersion: "0" }, AbortSignal.any([signal, stop.signal]));
    for await (const batch of watch) {
      for (const { object } of batch) {
        const known = object as T;
        if (fits(known)) fitting.add(known.metadata.name);
        else fitting.delete(known.metadata.name);
      }
      if (fitting.size >= count) break;
    }
    stop.abort();
  }
}
