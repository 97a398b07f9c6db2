// Metrics of requests for resources, under upstream's names. A request is counted where it ends, on series that its
// endpoint keeps. As upstream, requests without a route and unauthenticated requests are not counted. Deviation:
// requests from within the process are counted, but not timed: two readings of the clock would make each of their reads
// about 3 % slower, and they do not wait.
// Upstream: k8s.io/apiserver/pkg/endpoints/metrics/metrics.go

import type { Clock } from "#base/clock.ts";
import type { Counter, CounterSeries, Gauge, Histogram, HistogramSeries, Metrics } from "#base/metrics.ts";
import type { ResourceCall } from "./core.ts";
import type { Query } from "./query.ts";
import { headerOf, type RequestContext } from "./request-context.ts";
import type { ResourceRequestInfo } from "./request-info.ts";

const PLACE = ["group", "version", "resource", "subresource", "scope", "component"];
const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
const COMPONENT = "apiserver";
const CONNECTING: ReadonlySet<string> = new Set(["log", "exec", "portforward", "attach", "proxy"]);
const VERBS = ["GET", "LIST", "WATCH", "POST", "PUT", "PATCH", "APPLY", "DELETE", "CONNECT", "other"] as const;
const [GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, CONNECT, OTHER] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
const SCOPES = ["cluster", "namespace", "resource"] as const;
const [CLUSTER, NAMESPACE, RESOURCE] = [0, 1, 2] as const;

/** Requests carry both as numbers; /metrics shows the names. */
type Verb = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;
type Scope = 0 | 1 | 2;

/** The series of one endpoint: by verb and scope; those of subresources and dry runs by their full name. */
export interface EndpointSeries {
  readonly main: (RequestSeries | undefined)[];
  readonly others: Map<string, RequestSeries>;
}

export class RequestMetrics {
  readonly #clock: Clock;
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #longRunning: Gauge;

  constructor(metrics: Metrics, clock: Clock) {
    this.#clock = clock;
    this.#total = metrics.counter({
      name: "apiserver_request_total",
      help: "Requests for resources that were answered.",
      stability: "STABLE",
      labels: ["verb", "dry_run", ...PLACE, "code"],
    });
    this.#duration = metrics.histogram({
      name: "apiserver_request_duration_seconds",
      help: "Time from the arrival of a request over the network to its answer, of a watch to its end.",
      stability: "STABLE",
      labels: ["verb", "dry_run", ...PLACE],
      buckets: BUCKETS,
    });
    this.#longRunning = metrics.gauge({
      name: "apiserver_longrunning_requests",
      help: "Watches that are open.",
      stability: "STABLE",
      labels: ["verb", ...PLACE],
    });
  }

  /** The series that counts a request. */
  seriesOf(call: ResourceCall, place: string): RequestSeries {
    const { endpoint, subresource, context } = call;
    const scope = scopeOf(call, place);
    const verb = verbOf(context, call.info, scope);
    endpoint.series ??= { main: [], others: new Map() };
    if (subresource === "" && context.query.isEmpty) {
      const { main } = endpoint.series;
      const index = verb * SCOPES.length + scope;
      main[index] ??= this.#open(call, verb, scope, "");
      return main[index];
    }
    const { others } = endpoint.series;
    const dryRun = dryRunOf(context.query);
    const name = `${verb} ${scope} ${subresource} ${dryRun}`;
    let series = others.get(name);
    if (series === undefined) {
      series = this.#open(call, verb, scope, dryRun);
      others.set(name, series);
    }
    return series;
  }

  /** Counts a request that was refused by the limit on concurrent requests, before routing. */
  refused(context: RequestContext, info: ResourceRequestInfo): void {
    const { group, version, resource, subresource } = info;
    const scope = scopeOfInfo(info);
    const place = [group, version, resource, subresource, SCOPES[scope], COMPONENT];
    this.#total.inc([VERBS[verbOf(context, info, scope)], dryRunOf(context.query), ...place, "429"]);
  }

  #open({ endpoint, subresource }: ResourceCall, verb: Verb, scope: Scope, dryRun: string): RequestSeries {
    const { group, version } = endpoint.version;
    const place = [group, version, endpoint.row.resource, subresource, SCOPES[scope], COMPONENT];
    const name = VERBS[verb];
    return new RequestSeries(
      this.#clock,
      () => this.#duration.with([name, dryRun, ...place]),
      (code) => this.#total.with([name, dryRun, ...place, String(code)]),
      (change) => this.#longRunning.add(change, [name, ...place]),
    );
  }
}

/** The start time of a request that is not timed. */
export const UNTIMED = -1;

/** The series of requests that differ only in their answers. */
export class RequestSeries {
  readonly #clock: Clock;
  readonly #openDuration: () => HistogramSeries;
  /** Created for the first timed request: a series is shown from then on. */
  #duration: HistogramSeries | undefined;
  readonly #openCode: (code: number) => CounterSeries;
  readonly #codes = new Map<number, CounterSeries>();
  readonly #addOpen: (change: 1 | -1) => void;
  /** Most answers have the same code as the one before. */
  #lastCode = 0;
  #last: CounterSeries | undefined;

  constructor(
    clock: Clock,
    openDuration: () => HistogramSeries,
    openCode: (code: number) => CounterSeries,
    addOpen: (change: 1 | -1) => void,
  ) {
    this.#clock = clock;
    this.#openDuration = openDuration;
    this.#openCode = openCode;
    this.#addOpen = addOpen;
  }

  answered(code: number, startedMs: number): void {
    if (startedMs !== UNTIMED) {
      this.#duration ??= this.#openDuration();
      this.#duration.observe((this.#clock.monotonicMs() - startedMs) / 1000);
    }
    if (code !== this.#lastCode) {
      this.#lastCode = code;
      this.#last = this.#codes.get(code) ?? this.#openCode(code);
      this.#codes.set(code, this.#last);
    }
    this.#last?.inc();
  }

  /** The answer has begun and continues until `ended`. */
  opened(): void {
    this.#addOpen(1);
  }

  ended(code: number, startedMs: number): void {
    this.#addOpen(-1);
    this.answered(code, startedMs);
  }
}

/**
 * For a custom kind by the request, for others by the route: a name in a field selector matters only for the former.
 */
function scopeOf({ endpoint, context, info }: ResourceCall, place: string): Scope {
  if (endpoint.row.isCustom) return scopeOfInfo(info);
  if (context.request.method === "POST" || place === "object" || place === "subresource") return RESOURCE;
  return endpoint.row.namespaced && place !== "everywhere" ? NAMESPACE : CLUSTER;
}

function scopeOfInfo({ name, verb, namespace }: ResourceRequestInfo): Scope {
  if (name !== "" || verb === "create") return RESOURCE;
  return namespace === "" ? CLUSTER : NAMESPACE;
}

function verbOf({ request, query }: RequestContext, info: ResourceRequestInfo, scope: Scope): Verb {
  if (info.subresource !== "" && CONNECTING.has(info.subresource)) return CONNECT;
  switch (request.method) {
    case "GET":
    case "HEAD":
      if (info.isWatchPath || (!query.isEmpty && query.flag("watch"))) return WATCH;
      return scope === RESOURCE ? GET : LIST;
    case "POST":
      return POST;
    case "PUT":
      return PUT;
    case "PATCH":
      return headerOf(request, "content-type") === "application/apply-patch+yaml" ? APPLY : PATCH;
    case "DELETE":
      return DELETE;
    default:
      return OTHER;
  }
}

function dryRunOf(query: Query): string {
  const values = query.all("dryRun");
  if (values.length === 0) return "";
  return values.every((value) => value === "All") ? "All" : "invalid";
}
