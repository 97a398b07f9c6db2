// The embedded API server in one process over the direct transport: creates with managed fields and
// admission, gets, watches under a stream of events, and the cost of a write by the number of stored objects.
// Run: bun run bench/apiserver.ts

import { monitorEventLoopDelay } from "node:perf_hooks";
import { defaultPlugins } from "#apiserver/admission/default-plugins.ts";
import { type ApiServer, createApiServer } from "#apiserver/create-api-server.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import type { Transport } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { noMetrics } from "#base/metrics.ts";
import { systemClock } from "#platform/system-clock.ts";
import { systemRng } from "#platform/system-rng.ts";

const never = new AbortController().signal;
const HEADERS = { "user-agent": "bench/1", "content-type": "application/json" };
const PODS = "/api/v1/namespaces/default/pods";

/** A pod as a workload would create it: about 3 KB once stored. */
function pod(name: string): unknown {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      labels: { app: "web", tier: "front", "pod-template-hash": "5d8f7c9b6d" },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: "web-5d8f7c9b6d",
          uid: "0b045aab-7593-4221-8969-f03dc6ec061b",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      containers: [
        {
          name: "web",
          image: "registry.example.com/web:1.2.3",
          ports: [{ name: "http", containerPort: 8080 }],
          env: [
            { name: "MODE", value: "production" },
            { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
          ],
          resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
          readinessProbe: { httpGet: { path: "/ready", port: "http" } },
          volumeMounts: [{ name: "config", mountPath: "/etc/web" }],
        },
      ],
      volumes: [{ name: "config", configMap: { name: "web" } }],
      nodeName: "node-1",
    },
  };
}

function start(): { server: ApiServer; transport: Transport; storage: MemoryStorage } {
  const storage = new MemoryStorage({ clock: systemClock });
  const server = createApiServer({
    clock: systemClock,
    rng: systemRng(),
    log: noLog,
    metrics: noMetrics,
    storage,
    admission: defaultPlugins,
  });
  return {
    server,
    storage,
    transport: directTransport(server, { peer: { user: { name: "bench", groups: ["system:masters"] } } }),
  };
}

async function send(
  transport: Transport,
  method: string,
  path: string,
  query = "",
  value?: unknown,
): Promise<{ status: number }> {
  const body = value === undefined ? {} : { body: { kind: "object", value } as const };
  return transport.send({ method, path, query, headers: HEADERS, direct: true, ...body }, never);
}

async function createPods(transport: Transport, from: number, count: number): Promise<void> {
  for (let i = from; i < from + count; i++) {
    const { status } = await send(transport, "POST", PODS, "", pod(`pod-${i}`));
    if (status !== 201) throw new Error(`create answered ${status}`);
  }
}

async function perSecond(count: number, run: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await run();
  return Math.round((count / (performance.now() - startMs)) * 1000);
}

function report(name: string, value: string | number): void {
  process.stdout.write(`${name.padEnd(58)} ${value}\n`);
}

async function throughput(): Promise<void> {
  const { server, transport } = start();
  await prepare(transport);
  await createPods(transport, 0, 3_000);
  report(
    "creates/s (3 KB pods, managed fields, admission)",
    await perSecond(10_000, () => createPods(transport, 3_000, 10_000)),
  );
  const gets = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await send(transport, "GET", `${PODS}/pod-${i % 10_000}`);
  };
  await gets(20_000);
  report("gets/s", await perSecond(200_000, () => gets(200_000)));
  const patches = async (from: number, count: number): Promise<void> => {
    for (let i = from; i < from + count; i++) {
      const body = { kind: "object", value: { metadata: { labels: { round: String(i) } } } } as const;
      const headers = { ...HEADERS, "content-type": "application/merge-patch+json" };
      await transport.send(
        { method: "PATCH", path: `${PODS}/pod-${i % 5_000}`, query: "", headers, direct: true, body },
        never,
      );
    }
  };
  await patches(0, 2_000);
  report("merge patches/s", await perSecond(10_000, () => patches(2_000, 10_000)));
  const lists = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await send(transport, "GET", PODS, "limit=500");
  };
  report("lists of 500 of 13,000 pods/s", await perSecond(200, () => lists(200)));
  server.close();
}

/** What admission wants to be there. */
async function prepare(transport: Transport): Promise<void> {
  await send(transport, "POST", "/api/v1/namespaces/default/serviceaccounts", "", { metadata: { name: "default" } });
}

async function costByStored(): Promise<void> {
  const rates: number[] = [];
  // Both sizes are measured with warm code.
  const warm = start();
  await prepare(warm.transport);
  await createPods(warm.transport, 0, 30_000);
  warm.server.close();
  for (const stored of [1_000, 100_000]) {
    const { server, transport } = start();
    await prepare(transport);
    await createPods(transport, 0, stored);
    let best = 0;
    for (let round = 0; round < 4; round++) {
      best = Math.max(best, await perSecond(3_000, () => createPods(transport, stored + round * 3_000, 3_000)));
    }
    rates.push(best);
    report(`creates/s with ${stored.toLocaleString("en")} stored`, best);
    server.close();
  }
  report("cost with 100,000 against 1,000", `${Math.round(((rates[0] as number) / (rates[1] as number) - 1) * 100)} %`);
}

const WATCHES = 1_000;
const EVENTS_PER_SECOND = 100;
const SECONDS = 10;

async function watches(): Promise<void> {
  const { server, transport } = start();
  await prepare(transport);
  await createPods(transport, 0, 100);
  const controller = new AbortController();
  const before = heapBytes();
  let received = 0;
  const readers: Promise<void>[] = [];
  for (let i = 0; i < WATCHES; i++) {
    const response = await transport.send(
      {
        method: "GET",
        path: PODS,
        query: "watch=1&allowWatchBookmarks=true&resourceVersion=99999999",
        headers: HEADERS,
        direct: true,
      },
      controller.signal,
    );
    const { body } = response;
    if (body.kind !== "events") throw new Error("not a watch");
    readers.push(
      (async () => {
        for await (const batch of body.batches) received += batch.length;
      })(),
    );
  }
  report("bytes per idle watch", Math.round((heapBytes() - before) / WATCHES));
  controller.abort();
  await Promise.all(readers);
  await stream(transport);
  server.close();
  void received;
}

async function stream(transport: Transport): Promise<void> {
  const controller = new AbortController();
  let received = 0;
  for (let i = 0; i < WATCHES; i++) {
    const { body } = await transport.send(
      { method: "GET", path: PODS, query: "watch=1&resourceVersion=0", headers: HEADERS, direct: true },
      controller.signal,
    );
    if (body.kind !== "events") throw new Error("not a watch");
    void (async () => {
      for await (const batch of body.batches) received += batch.length;
    })();
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  const initial = received;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  for (let i = 0; i < EVENTS_PER_SECOND * SECONDS; i++) {
    await createPods(transport, 1_000 + i, 1);
    await new Promise((resolve) => setTimeout(resolve, 1000 / EVENTS_PER_SECOND));
  }
  delay.disable();
  const used = process.cpuUsage(cpu);
  report(`events delivered to ${WATCHES} watches`, received - initial);
  report(
    "event-loop delay p50 / p99, ms",
    `${(delay.percentile(50) / 1e6).toFixed(1)} / ${(delay.percentile(99) / 1e6).toFixed(1)}`,
  );
  report("CPU seconds", ((used.user + used.system) / 1e6).toFixed(2));
  controller.abort();
}

function heapBytes(): number {
  (globalThis as { Bun?: { gc(force: boolean): void } }).Bun?.gc(true);
  return process.memoryUsage().heapUsed;
}

const all: Readonly<Record<string, () => Promise<void>>> = { throughput, costByStored, watches };
const chosen = process.argv.slice(2);
for (const [name, run] of Object.entries(all)) {
  if (chosen.length === 0 || chosen.includes(name)) await run();
}
process.exit(0);
