// The subject of the benchmarks of the embedded API server: a server in this process, a pod as a workload creates it,
// and a server behind HTTPS in a separate process, so that the memory and CPU time of clients are not counted.

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { defaultPlugins } from "#apiserver/admission/default-plugins.ts";
import { type ApiServer, createApiServer } from "#apiserver/create-api-server.ts";
import { directTransport } from "#apiserver/in-process-transport.ts";
import { MemoryStorage } from "#apiserver/storage/memory-storage.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { noLog } from "#base/log.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { systemClock } from "#platform/system/system-clock.ts";
import { systemRng } from "#platform/system/system-rng.ts";
import { moreSettings } from "#test/judge/judge-flags.ts";

export const PODS = "/api/v1/namespaces/default/pods";
export const HEADERS = { "user-agent": "bench/1", "content-type": "application/json" };
const never = new AbortController().signal;

/** A pod as a workload creates it: about 3 KB once stored. Pods of one template differ only in their names. */
export function pod(name: string, template = "web"): unknown {
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
          image: `registry.example.com/${template}:1.2.3`,
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

export function startServer(): { server: ApiServer; transport: Transport; storage: MemoryStorage } {
  const storage = new MemoryStorage({ clock: systemClock });
  const server = createApiServer({
    clock: systemClock,
    rng: systemRng(),
    log: noLog,
    metrics: new MetricRegistry({ version: "1.36.4" }),
    storage,
    admission: defaultPlugins,
    // Serves the kinds that fuzzed requests use.
    gates: { isEnabled: (name) => moreSettings.gates.includes(name) },
    runtimeConfig: Object.fromEntries(moreSettings.versions.map((version) => [version, "true"])),
  });
  return {
    server,
    storage,
    transport: directTransport(server, { peer: { user: { name: "bench", groups: ["system:masters"] } } }),
  };
}

/** The direct transport passes objects; other transports send JSON. */
export function send(
  transport: Transport,
  method: string,
  path: string,
  { query = "", value, direct = true }: { query?: string; value?: unknown; direct?: boolean } = {},
): Promise<HttpResponse> {
  const request: HttpRequest = { method, path, query, headers: HEADERS, ...(direct ? { direct } : { whole: true }) };
  if (value === undefined) return transport.send(request, never);
  const body = direct
    ? ({ kind: "object", value } as const)
    : ({ kind: "bytes", bytes: new TextEncoder().encode(JSON.stringify(value)) } as const);
  return transport.send({ ...request, body }, never);
}

/** Creates the objects that admission requires. */
export async function prepare(transport: Transport): Promise<void> {
  const value = { metadata: { name: "default" } };
  await send(transport, "POST", "/api/v1/namespaces/default/serviceaccounts", { value });
}

export interface CreateOptions {
  readonly direct?: boolean;
  /** The number of requests at once. */
  readonly parallel?: number;
  templateOf?(index: number): string;
}

export async function createPods(
  transport: Transport,
  from: number,
  count: number,
  { direct = true, parallel = 1, templateOf = () => "web" }: CreateOptions = {},
): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    while (next < from + count) {
      const index = next++;
      const value = pod(`pod-${index}`, templateOf(index));
      const { status } = await send(transport, "POST", PODS, { value, direct });
      if (status !== 201) throw new Error(`create answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
}

export function heapBytes(): number {
  (globalThis as { Bun?: { gc(force: boolean): void } }).Bun?.gc(true);
  return process.memoryUsage().heapUsed;
}

export function report(name: string, value: string | number): void {
  process.stdout.write(`${name.padEnd(58)} ${typeof value === "number" ? value.toLocaleString("en") : value}\n`);
}

export interface Credentials {
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface MemoryFigures {
  readonly rss: number;
  readonly heap: number;
}

export interface StreamFigures {
  readonly delayMsP50: number;
  readonly delayMsP99: number;
  /** CPU time between two samples, which are at least a millisecond apart. */
  readonly busyMsP99: number;
  readonly cpuSeconds: number;
  readonly seconds: number;
}

export interface ServerProcess extends Credentials {
  /** After a garbage collection. */
  memory(): Promise<MemoryFigures>;
  /** The server creates pods at this rate and reports the delay of its event loop. */
  stream(perSecond: number, seconds: number): Promise<StreamFigures>;
  cpuSeconds(): Promise<number>;
  /** The server stores this many pods. */
  fill(count: number): Promise<void>;
  /** CPU time of one create in microseconds, as the average of `count` creates. Deletes the pods afterwards. */
  createMicros(count: number): Promise<number>;
  /** Compacts the store to its present state. */
  forgetHistory(): Promise<void>;
  stop(): void;
}

export async function startServerProcess(): Promise<ServerProcess> {
  const program = new URL("./api-server-process.ts", import.meta.url).pathname;
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines: Interface = createInterface({ input: child.stdout });
  const answer = (): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const onExit = (): void => reject(new Error("the server has ended"));
      child.once("exit", onExit);
      lines.once("line", (line) => {
        child.removeListener("exit", onExit);
        resolve(JSON.parse(line));
      });
    });
  const ask = <T>(question: unknown): Promise<T> => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    return answer() as Promise<T>;
  };
  const credentials = (await answer()) as Credentials;
  return {
    ...credentials,
    memory: () => ask<MemoryFigures>({ what: "memory" }),
    stream: (perSecond, seconds) => ask<StreamFigures>({ what: "stream", perSecond, seconds }),
    cpuSeconds: () => ask<number>({ what: "cpu" }),
    fill: (count) => ask<void>({ what: "fill", count }),
    createMicros: (count) => ask<number>({ what: "creates", count }),
    forgetHistory: () => ask<void>({ what: "forget" }),
    stop: () => child.kill("SIGKILL"),
  };
}
