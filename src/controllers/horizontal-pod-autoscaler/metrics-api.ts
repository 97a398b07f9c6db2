// The three aggregated APIs of metrics. Amounts are in thousandths.
// Upstream: pkg/controller/podautoscaler/metrics/client.go;
// k8s.io/metrics/pkg/client/{custom_metrics,external_metrics}.

import type { CrossVersionObjectReference } from "#api/generated/types/autoscaling-v2.ts";
import { durationMs, parseDuration } from "#api/go-duration.ts";
import { parseExactJson } from "#api/json.ts";
import type { Selector } from "#api/label-selector.ts";
import { type KubeList, type KubeObject, parseApiVersion, ref } from "#api/object.ts";
import { MILLI } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import { resourceHandle, type StoredObject } from "#api/resource.ts";
import { groupKindText, groupResourceText } from "#api/status-error.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Client } from "#client/client.ts";
import { createDiscovery, type Discovery } from "#client/discovery.ts";
import { groupVersionPath, queryString } from "#client/paths.ts";
import type { GroupKind, RestMapper } from "#client/rest-mapper.ts";
import type { ContractResource } from "#kit/contract.ts";
import { wrapped } from "./go-numbers.ts";
import type { Sample, Samples } from "./pod-groups.ts";

type Amount = string | number;

interface PodMetrics extends StoredObject {
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name?: string; readonly usage?: Readonly<Record<string, Amount>> }[];
}

interface MetricValue extends KubeObject {
  readonly describedObject?: { readonly name?: string };
  readonly timestamp?: string;
  readonly value?: Amount;
  /** The field of v1beta2, and that of v1beta1. */
  readonly windowSeconds?: number;
  readonly window?: number;
}

const PodMetricses = resourceHandle<PodMetrics>({
  group: "metrics.k8s.io",
  version: "v1beta1",
  resource: "pods",
  kind: "PodMetrics",
  scope: "Namespaced",
});

const CUSTOM_GROUP = "custom.metrics.k8s.io";
const CUSTOM_VERSIONS = ["v1beta1", "v1beta2"];
const EXTERNAL = { group: "external.metrics.k8s.io", version: "v1beta1" };
const WINDOW_MS = 60_000;
const ZERO_TIME: EpochMs = -62_135_596_800_000;

/** The resources of the APIs, for the controller's contract. */
export const metricsApis: Readonly<Record<"resource" | "custom" | "external", ContractResource>> = {
  resource: PodMetricses,
  custom: { group: CUSTOM_GROUP, resource: "*" },
  external: { group: EXTERNAL.group, resource: "*" },
};

export class MetricsApi {
  readonly #client: Client;
  readonly #restMapper: Pick<RestMapper, "mapping">;
  readonly #discovery: Discovery;
  readonly #log: Logger;
  /** The version of the custom metrics API that the server prefers, cached until it is forgotten. */
  #customVersion: string | undefined;

  constructor(client: Client, restMapper: Pick<RestMapper, "mapping">, log: Logger) {
    this.#client = client;
    this.#restMapper = restMapper;
    this.#discovery = createDiscovery(client);
    this.#log = log;
  }

  /** The next custom metric is requested in the version that the server prefers then. */
  forgetVersion(): void {
    this.#customVersion = undefined;
  }

  /** The pods' usage of a resource: by all containers, or by one of them. */
  async resource(
    { resource, container }: { readonly resource: string; readonly container: string },
    namespace: string,
    selector: Selector,
    signal: AbortSignal,
  ): Promise<Samples> {
    const request = { namespace, labelSelector: selector.toString() };
    const { items } = await explained("unable to fetch metrics from resource metrics API", () =>
      this.#client.resource(PodMetricses).list(request, signal),
    );
    if (items.length === 0) throw new Error("no metrics returned from resource metrics API");
    const samples = new Map<string, Sample>();
    for (const metrics of items) {
      const value =
        container === "" ? this.#usage(metrics, resource) : this.#containerUsage(metrics, resource, container);
      if (value === undefined) continue;
      const windowMs = metrics.window === undefined ? 0 : durationMs(parseDuration(metrics.window));
      samples.set(metrics.metadata.name, { value, at: timeOrUndefined(metrics.timestamp) ?? ZERO_TIME, windowMs });
    }
    return samples;
  }

  #usage(metrics: PodMetrics, resource: string): bigint | undefined {
    const { containers = [] } = metrics;
    let sum = 0n;
    for (const { usage } of containers) {
      const amount = usage?.[resource];
      if (amount === undefined) {
        this.#log.v(2).info("Missing resource metric", { resourceMetric: resource, pod: ref(metrics) });
        return undefined;
      }
      sum = wrapped(sum + milliOf(amount));
    }
    return containers.length === 0 ? undefined : sum;
  }

  #containerUsage(metrics: PodMetrics, resource: string, container: string): bigint | undefined {
    const found = metrics.containers?.find(({ name }) => name === container);
    if (found === undefined) this.#log.v(2).info("Missing container metric", { container, pod: ref(metrics) });
    const amount = found?.usage?.[resource];
    return amount === undefined ? undefined : milliOf(amount);
  }

  /** A metric of each pod. */
  async pods(metric: MetricName, namespace: string, selector: Selector, signal: AbortSignal): Promise<Samples> {
    const query = { labelSelector: selector.toString(), metricLabelSelector: metric.selector.toString() };
    const items = await this.#custom(`namespaces/${namespace}/pods/%2A/${metric.name}`, query, signal);
    if (items.length === 0) throw new Error("no metrics returned from custom metrics API");
    return new Map(
      items.map((item) => {
        const seconds = item.windowSeconds ?? item.window;
        const windowMs = seconds === undefined ? WINDOW_MS : seconds * 1000;
        const at = timeOrUndefined(item.timestamp) ?? ZERO_TIME;
        return [item.describedObject?.name ?? "", { value: milliOf(item.value), at, windowMs }] as const;
      }),
    );
  }

  /** A metric of one object in the namespace, or of the namespace itself. */
  async object(
    metric: MetricName,
    namespace: string,
    { apiVersion = "", kind, name }: CrossVersionObjectReference,
    signal: AbortSignal,
  ): Promise<bigint> {
    const group = apiVersion.split("/").length > 2 ? "" : parseApiVersion(apiVersion).group;
    const isNamespace = kind === "Namespace" && group === "";
    const path = async (): Promise<string> =>
      isNamespace
        ? `namespaces/${namespace}/metrics/${metric.name}`
        : `namespaces/${namespace}/${await this.#resourceName({ group, kind }, signal)}/${name}/${metric.name}`;
    const items = await this.#custom(path, { metricLabelSelector: metric.selector.toString() }, signal);
    return milliOf(items[0]?.value);
  }

  /** The values of a metric from outside the cluster. */
  async external(metric: MetricName, namespace: string, signal: AbortSignal): Promise<readonly bigint[]> {
    const path = `${groupVersionPath(EXTERNAL)}/namespaces/${namespace}/${metric.name}`;
    const query = queryString({ labelSelector: metric.selector.toString() || undefined });
    const { items = [] } = await explained("unable to fetch metrics from external metrics API", () =>
      this.#get(path, query, signal),
    );
    if (items.length === 0) throw new Error("no metrics returned from external metrics API");
    return items.map(({ value }) => milliOf(value));
  }

  async #custom(
    path: string | (() => Promise<string>),
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly MetricValue[]> {
    return explained("unable to fetch metrics from custom metrics API", async () => {
      const version = await this.#preferredVersion(signal);
      const root = groupVersionPath({ group: CUSTOM_GROUP, version });
      const given = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, value || undefined]));
      const isOne = typeof path !== "string";
      const list = await this.#get(`${root}/${isOne ? await path() : path}`, queryString(given), signal);
      const { kind, items = [] } = list;
      if (kind !== "MetricValueList") {
        throw new Error(`the custom metrics API server didn't return MetricValueList, the type is ${kind}`);
      }
      if (isOne && items.length !== 1) {
        throw new Error(`the custom metrics API server returned ${items.length} results when we asked for exactly one`);
      }
      return items;
    });
  }

  async #get(path: string, query: string, signal: AbortSignal): Promise<Partial<KubeList<MetricValue>>> {
    const { bytes } = await this.#client.raw({ method: "GET", path, query, accept: "application/json" }, signal);
    return parseExactJson(new TextDecoder().decode(bytes)) as Partial<KubeList<MetricValue>>;
  }

  /** Upstream: custom_metrics.AvailableAPIsGetter */
  async #preferredVersion(signal: AbortSignal): Promise<string> {
    if (this.#customVersion !== undefined) return this.#customVersion;
    const { groups } = await this.#discovery.groups(signal);
    const group = groups.find(({ name }) => name === CUSTOM_GROUP);
    if (group === undefined) throw new Error(`no custom metrics API (${CUSTOM_GROUP}) registered`);
    const version = [group.preferredVersion, ...group.versions].find((known) => CUSTOM_VERSIONS.includes(known));
    if (version === undefined) throw new Error("no known available metric versions found");
    this.#customVersion = version;
    return version;
  }

  async #resourceName(kind: GroupKind, signal: AbortSignal): Promise<string> {
    try {
      return groupResourceText(await this.#restMapper.mapping(kind, [], signal));
    } catch (error) {
      throw new Error(`unable to map kind ${groupKindText(kind)} to resource: ${errorMessage(error)}`);
    }
  }
}

export interface MetricName {
  readonly name: string;
  readonly selector: Selector;
}

const milliOf = (amount: Amount | undefined): bigint => quantityFromWire(amount).scaledInt64(MILLI);

async function explained<R>(what: string, ask: () => Promise<R>): Promise<R> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}
