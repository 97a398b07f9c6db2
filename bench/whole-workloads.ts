// The workloads that the whole manager is measured with. No node runs the pods: they stay Pending, which both managers
// see alike, and their Services, Jobs and rollouts are such that this does not hold them up.

import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { ConfigMaps, Namespaces, Pods, Services } from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { Draft, Resource, StoredObject } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import { idle, type Workload, type WorkloadStage } from "./manager-workloads.ts";
import { sleep } from "./plane.ts";

const POLL_MS = 250;
const WRITERS = 8;
const CHURN_SECONDS = 20;
const CHANGES_PER_SECOND = 50;

export interface WholeSizes {
  readonly pods: readonly number[];
  readonly deployments: number;
  readonly services: number;
  readonly namespaceObjects: number;
  readonly jobPods: number;
  readonly indexedJobs: number;
  readonly cronJobs: number;
  readonly churnedPods: number;
}

export const wholeSizes: WholeSizes = {
  pods: [1000, 5000],
  deployments: 100,
  services: 500,
  namespaceObjects: 3000,
  jobPods: 300,
  indexedJobs: 50,
  cronJobs: 200,
  churnedPods: 5000,
};

export const quickSizes: WholeSizes = {
  pods: [200],
  deployments: 10,
  services: 50,
  namespaceObjects: 300,
  jobPods: 50,
  indexedJobs: 5,
  cronJobs: 20,
  churnedPods: 200,
};

export function wholeWorkloads(sizes: WholeSizes): readonly Workload[] {
  return [
    idle("before"),
    ...sizes.pods.flatMap((count) => [deployPods(count), deletePods(count)]),
    deployMany(sizes.deployments),
    rollOut(sizes.deployments),
    serve(sizes.services),
    deleteNamespace(sizes.namespaceObjects),
    oneJob(sizes.jobPods),
    indexedJobs(sizes.indexedJobs),
    cronJobs(sizes.cronJobs),
    churn(sizes.churnedPods),
    idle("after"),
  ];
}

const container = {
  name: "main",
  image: "registry.example/web:1.2.3",
  env: [{ name: "MODE", value: "production" }],
  ports: [{ containerPort: 8080 }],
  resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "128Mi" } },
};

/** Old pods may all go at once: no pod becomes ready here. */
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
    await untilDeployed(bench, `large-${count}`, count);
  },
});

const deletePods = (count: number): Workload => ({
  name: `Deployment of ${count} pods deleted, cascading`,
  async run(bench) {
    const { client, namespace, signal } = bench;
    const options = { propagationPolicy: "Background" as const };
    await client.resource(Deployments).delete({ namespace, name: `large-${count}`, options }, signal);
    await untilCount(bench, Pods, 0, `app=large-${count}`);
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

const serve = (count: number): Workload => ({
  name: `${count} Services with 20 endpoints each`,
  async run(bench) {
    const spec = { nodeName: "nowhere", containers: [container] };
    const pods = names("endpoint", 20).map((name) => ({ metadata: { name, labels: { serves: "yes" } }, spec }));
    await create(bench, Pods, pods as never);
    const { client, namespace, signal } = bench;
    await inParallel(
      [...pods.entries()],
      ([
        index,
        {
          metadata: { name },
        },
      ]) => {
        const podIP = `10.20.0.${index + 1}`;
        const conditions = [{ type: "Ready", status: "True" }];
        const patch = { status: { phase: "Running", podIP, podIPs: [{ ip: podIP }], conditions } };
        return client.resource(Pods).patch({ namespace, name, type: "merge", patch, subresource: "status" }, signal);
      },
    );
    const services = names("service", count).map((name) => ({
      metadata: { name },
      spec: { selector: { serves: "yes" }, ports: [{ port: 80 }] },
    }));
    await create(bench, Services, services as never);
    await untilAll(bench, EndpointSlices, count, ({ endpoints }) => (endpoints ?? []).length === 20);
  },
});

const deleteNamespace = (count: number): Workload => ({
  name: `namespace of ${count} objects deleted`,
  async run({ client, signal }) {
    const namespace = "full";
    await client.resource(Namespaces).create({ object: { metadata: { name: namespace } } }, signal);
    const maps = names("map", count).map((name) => ({ metadata: { name } }));
    await create({ client, namespace, signal }, ConfigMaps, maps as never);
    await client.resource(Namespaces).delete({ name: namespace }, signal);
    for (;;) {
      const isGone = await client
        .resource(Namespaces)
        .get({ name: namespace }, signal)
        .then(() => false)
        .catch((error: unknown) => isNotFound(error));
      if (isGone) return;
      await sleep(POLL_MS);
    }
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

/** They are due with the next minute, so that the wall time is chance. */
const cronJobs = (count: number): Workload => ({
  name: `${count} CronJobs in a minute`,
  async run(bench) {
    const spec = { schedule: "* * * * *", jobTemplate: { spec: { suspend: true, template: jobTemplate } } };
    await create(bench, CronJobs, names("cron", count).map((name) => ({ metadata: { name }, spec })) as never);
    const owners = new Set<string>();
    while (owners.size < count) {
      const { client, namespace, signal } = bench;
      const { items } = await client.resource(Jobs).list({ namespace }, signal);
      for (const { metadata } of items) {
        const owner = metadata.ownerReferences?.[0];
        if (owner?.kind === "CronJob") owners.add(owner.name);
      }
      await sleep(POLL_MS * 4);
    }
    const { client, namespace, signal } = bench;
    await client.resource(CronJobs).deleteCollection({ namespace }, signal);
  },
});

const churn = (pods: number): Workload => ({
  name: `${CHANGES_PER_SECOND} changes a second among ${pods} pods, ${CHURN_SECONDS} s`,
  async run(bench) {
    const { client, namespace, signal } = bench;
    await create(bench, ReplicaSets, [replicaSet(pods)]);
    await untilCount(bench, Pods, pods, "app=churned");
    const { items } = await client.resource(Pods).list({ namespace, labelSelector: "app=churned" }, signal);
    const begin = performance.now();
    for (let change = 0; change < CHANGES_PER_SECOND * CHURN_SECONDS; change++) {
      const name = items[change % items.length]?.metadata.name ?? "";
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

async function untilDeployed(bench: WorkloadStage, name: string, replicas: number): Promise<void> {
  const { client, namespace, signal } = bench;
  for (;;) {
    const { status } = await client.resource(Deployments).get({ namespace, name }, signal);
    if (status?.replicas === replicas) return;
    await sleep(POLL_MS);
  }
}

async function untilCount(
  bench: WorkloadStage,
  resource: Resource,
  count: number,
  labelSelector: string,
): Promise<void> {
  const { client, namespace, signal } = bench;
  const request = { namespace, labelSelector, resourceVersion: "0" };
  while ((await client.metadata(resource).list(request, signal)).items.length !== count) await sleep(POLL_MS * 2);
}

/** Until so many objects fit. */
async function untilAll<T extends StoredObject>(
  { client, namespace, signal }: WorkloadStage,
  resource: Resource<T>,
  count: number,
  fits: (object: T) => boolean,
): Promise<void> {
  for (;;) {
    const { items } = await client.resource(resource).list({ namespace, resourceVersion: "0" }, signal);
    if (items.filter(fits).length >= count) return;
    await sleep(POLL_MS * 2);
  }
}
