// The resource metrics API (metrics.k8s.io) of a simulated cluster, as an aggregated API server in this process, for
// `kubectl top` and the HorizontalPodAutoscaler controller. The APIService and its Service are the usual objects of a
// metrics server; the Service's name is resolved only inside this process.
// Upstream: sigs.k8s.io/metrics-server

import { APIServices } from "#api/generated/resources/apiregistration-v1.ts";
import { Services } from "#api/generated/resources/core-v1.ts";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { parseLabelSelector } from "#api/label-selector-parser.ts";
import { type Quantity, ZERO_QUANTITY } from "#api/quantity.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists } from "#api/status-error.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import type { Client } from "#client/client.ts";
import { BadBehaviour, behaviourOf } from "./behaviour.ts";
import { initPlaces, mainPlaces, statusAt } from "./places.ts";
import { type Usage, usageOf } from "./usage.ts";

const GROUP = "metrics.k8s.io";
const VERSION = "v1beta1";
const API_VERSION = `${GROUP}/${VERSION}`;
const PORT = 443;
const HOST = "metrics.sim.steersman.dev";
/** The address of the API for the aggregator. */
export const METRICS_ADDRESS: string = `${HOST}:${PORT}`;
/** The measuring window in the answers. */
const WINDOW = "30s";

export interface MetricsSource {
  pods(): readonly Stored<Pod>[];
  nodes(): readonly StoredCluster<Node>[];
}

/** Answers 503 until it has a source. */
export class MetricsApi implements Transport {
  readonly #clock: Clock;
  source: MetricsSource | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const { source } = this;
    if (source === undefined) return failure(503, "ServiceUnavailable", "the nodes have not started");
    const path = request.path.split("/").slice(1);
    if (path[0] !== "apis" || path[1] !== GROUP || path[2] !== VERSION) return notFound();
    if (request.method !== "GET") return failure(405, "MethodNotAllowed", "only get and list are supported");
    const [, , , ...rest] = path;
    const selects = selectorOf(request.query);
    if (rest.length === 0)
      return answer({ kind: "APIResourceList", apiVersion: "v1", groupVersion: API_VERSION, resources });
    if (rest[0] === "nodes") return this.#nodes(source, rest[1], selects);
    if (rest[0] === "pods" && rest.length === 1) return this.#pods(source, undefined, undefined, selects);
    if (rest[0] === "namespaces" && rest[2] === "pods") return this.#pods(source, rest[1], rest[3], selects);
    return notFound();
  }

  #pods(
    source: MetricsSource,
    namespace: string | undefined,
    name: string | undefined,
    selects: Selects,
  ): HttpResponse {
    const items = source
      .pods()
      .filter(
        ({ metadata }) =>
          (namespace === undefined || metadata.namespace === namespace) &&
          (name === undefined || metadata.name === name) &&
          selects(metadata.labels ?? {}),
      )
      .flatMap((pod) => this.#podMetrics(pod));
    if (name === undefined) return answer({ kind: "PodMetricsList", apiVersion: API_VERSION, metadata: {}, items });
    return items.length === 0
      ? noMetrics("pods", name)
      : answer({ kind: "PodMetrics", apiVersion: API_VERSION, ...items[0] });
  }

  #podMetrics(pod: Stored<Pod>): readonly object[] {
    const containers = this.#usageOf(pod);
    if (containers.length === 0) return [];
    const { name, namespace, labels } = pod.metadata;
    const timestamp = formatTime(this.#clock.now());
    const metadata = { name, namespace, creationTimestamp: timestamp, ...(labels === undefined ? {} : { labels }) };
    return [{ metadata, timestamp, window: WINDOW, containers }];
  }

  #nodes(source: MetricsSource, name: string | undefined, selects: Selects): HttpResponse {
    const timestamp = formatTime(this.#clock.now());
    const totals = new Map<string, { cpu: Quantity; memory: Quantity }>();
    for (const pod of source.pods()) {
      const node = pod.spec?.nodeName ?? "";
      for (const { usage } of this.#usageOf(pod)) {
        const { cpu, memory } = totals.get(node) ?? { cpu: ZERO_QUANTITY, memory: ZERO_QUANTITY };
        totals.set(node, { cpu: cpu.add(usage.cpu), memory: memory.add(usage.memory) });
      }
    }
    const items = source
      .nodes()
      .filter(({ metadata }) => (name === undefined || metadata.name === name) && selects(metadata.labels ?? {}))
      .map(({ metadata: { name: nodeName, labels } }) => ({
        metadata: { name: nodeName, creationTimestamp: timestamp, ...(labels === undefined ? {} : { labels }) },
        timestamp,
        window: WINDOW,
        usage: totals.get(nodeName) ?? { cpu: "0", memory: "0" },
      }));
    if (name === undefined) return answer({ kind: "NodeMetricsList", apiVersion: API_VERSION, metadata: {}, items });
    return items.length === 0
      ? noMetrics("nodes", name)
      : answer({ kind: "NodeMetrics", apiVersion: API_VERSION, ...items[0] });
  }

  /** The usage of the running containers. */
  #usageOf(pod: Stored<Pod>): readonly { readonly name: string; readonly usage: Usage }[] {
    const now = this.#clock.now();
    const curves = curvesOf(pod);
    return [...mainPlaces(pod), ...initPlaces(pod)].flatMap((place) => {
      const running = statusAt(pod, place)?.state?.running;
      if (running === undefined) return [];
      const ranMs = now - (timeOrUndefined(running.startedAt) ?? now);
      // Curves apply to main containers: sidecars beside them are idle.
      const usage = usageOf(place.container, place.role === "main" ? curves : {}, ranMs);
      return [{ name: place.container.name, usage }];
    });
  }
}

/** Invalid annotations are reported when the pod starts; here they are ignored. */
function curvesOf(pod: Stored<Pod>): ReturnType<typeof behaviourOf>["usage"] {
  try {
    return behaviourOf(pod, 0).usage;
  } catch (error) {
    if (!(error instanceof BadBehaviour)) throw error;
    return {};
  }
}

/** Creates the objects that register the API with the API server. Existing objects with these names stay. */
export async function registerMetricsApi(client: Client, signal: AbortSignal): Promise<void> {
  const labels = { "k8s-app": "metrics-server" };
  const service = {
    metadata: { name: "metrics-server", labels },
    spec: { type: "ExternalName" as const, externalName: HOST, ports: [{ name: "https", port: PORT }] },
  };
  const apiService = {
    metadata: { name: `${VERSION}.${GROUP}`, labels },
    spec: {
      group: GROUP,
      version: VERSION,
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: "kube-system", name: "metrics-server", port: PORT },
    },
  };
  const ifAbsent = async (created: Promise<unknown>): Promise<void> => {
    await created.catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  };
  await ifAbsent(client.resource(Services).create({ namespace: "kube-system", object: service }, signal));
  await ifAbsent(client.resource(APIServices).create({ object: apiService }, signal));
}

const resources = [
  { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
  { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
];

type Selects = (labels: Readonly<Record<string, string>>) => boolean;

function selectorOf(query: string): Selects {
  const text = new URLSearchParams(query).get("labelSelector") ?? "";
  const selector = parseLabelSelector(text);
  return (labels) => selector.matches(labels);
}

function answer(value: unknown, status = 200): HttpResponse {
  const bytes = new TextEncoder().encode(stringifyJson(value));
  return { status, headers: { "content-type": "application/json" }, body: { kind: "bytes", bytes } };
}

function failure(code: number, reason: string, message: string): HttpResponse {
  return answer({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code }, code);
}

const notFound = (): HttpResponse => failure(404, "NotFound", "the server could not find the requested resource");

const noMetrics = (resource: string, name: string): HttpResponse =>
  failure(404, "NotFound", `${resource}.${GROUP} "${name}" not found`);
