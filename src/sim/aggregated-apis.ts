// API groups that another server would serve behind the API server's aggregator: a simulation answers for them itself.
// They show in discovery like any other group, or break it, as an aggregated server that is away does.

import type { ApiServer } from "#apiserver/create-api-server.ts";
import type { AuditSink } from "#apiserver/filters/audit.ts";
import { parseQuery } from "#apiserver/query.ts";
import type { ServerRequest } from "#apiserver/request-context.ts";
import { parseRequestInfo } from "#apiserver/request-info.ts";
import type { Clock } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import type { ApiResource } from "#client/discovery.ts";

export interface AggregatedApi {
  /** "metrics.k8s.io/v1beta1". */
  readonly groupVersion: string;
  /** Absent: the group's server is away, and its discovery fails. */
  readonly resources?: readonly ApiResource[];
  /** Answers a request for a resource. `path` comes after "/apis/<group>/<version>/". */
  answer?(request: AggregatedRequest): AggregatedAnswer;
}

export interface AggregatedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export interface AggregatedAnswer {
  /** 200 unless given. */
  readonly status?: number;
  readonly body: unknown;
}

type Handle = Pick<ApiServer, "handle">;

const ACCOUNT = "system:serviceaccount:";
const AGGREGATED_LIST = "apidiscovery.k8s.io";
const UNAVAILABLE = 503;

export class AggregatedApis {
  readonly #apis = new Map<string, AggregatedApi>();
  readonly #clock: Clock;
  readonly #audit: AuditSink | undefined;
  #requests = 0;

  constructor(clock: Clock, audit: AuditSink | undefined) {
    this.#clock = clock;
    this.#audit = audit;
  }

  serve(api: AggregatedApi): void {
    this.#apis.set(api.groupVersion, api);
  }

  withdraw(groupVersion: string): void {
    this.#apis.delete(groupVersion);
  }

  /** The server with these groups added. */
  over(server: Handle): Handle {
    return {
      handle: async (request, signal) => {
        if (this.#apis.size === 0 || !request.path.startsWith("/apis")) return server.handle(request, signal);
        const [, , group = "", version = "", ...rest] = request.path.split("/");
        if (group === "") return this.#withGroups(await server.handle(request, signal));
        const api = this.#apis.get(`${group}/${version}`);
        if (api !== undefined) return this.#audited(request, answerOf(api, request, rest.join("/")));
        const own = [...this.#apis.values()].filter(({ groupVersion }) => groupVersion.startsWith(`${group}/`));
        if (version === "" && own.length > 0) return jsonResponse(200, groupOf(group, own));
        return server.handle(request, signal);
      },
    };
  }

  async #withGroups(response: HttpResponse): Promise<HttpResponse> {
    const { body } = response;
    if (response.status !== 200 || body.kind !== "bytes") return response;
    const document = JSON.parse(new TextDecoder().decode(body.bytes)) as DiscoveryDocument;
    const groups = Map.groupBy(this.#apis.values(), ({ groupVersion }) => groupVersion.split("/")[0] ?? "");
    const isAggregated = document.apiVersion?.startsWith(AGGREGATED_LIST) === true;
    const added = isAggregated
      ? { items: [...(document.items ?? []), ...[...groups].map(([name, apis]) => discoveryOf(name, apis))] }
      : { groups: [...(document.groups ?? []), ...[...groups].map(([name, apis]) => groupOf(name, apis))] };
    const { etag: _, ...headers } = response.headers;
    return { ...response, headers, body: bytesOf({ ...document, ...added }) };
  }

  #audited(request: ServerRequest, response: HttpResponse): HttpResponse {
    // The aggregator passes bodies on without reading them.
    const { body: _, ...passed } = request;
    const { method, path, query } = request;
    const info = parseRequestInfo(method, path, parseQuery(query));
    const agent =
      String(request.headers["user-agent"] ?? "")
        .split("/")
        .at(-1) ?? "";
    const user = agent.startsWith(ACCOUNT) ? { name: agent } : (request.peer?.user ?? { name: "system:anonymous" });
    const nowMs = this.#clock.now();
    const id = `aggregated-${++this.#requests}`;
    this.#audit?.record({ id, request: passed, info, user, receivedMs: nowMs, answeredMs: nowMs, response });
    return response;
  }
}

interface DiscoveryDocument {
  readonly apiVersion?: string;
  readonly groups?: readonly unknown[];
  readonly items?: readonly unknown[];
}

function answerOf(api: AggregatedApi, { method, query }: ServerRequest, path: string): HttpResponse {
  const { groupVersion, resources } = api;
  if (resources === undefined) return jsonResponse(UNAVAILABLE, unavailable);
  if (path === "") return jsonResponse(200, { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources });
  const { status = 200, body } = api.answer?.({ method, path, query: new URLSearchParams(query) }) ?? notFound;
  return jsonResponse(status, body);
}

const unavailable = failure(UNAVAILABLE, "ServiceUnavailable", "service unavailable");
const notFound: AggregatedAnswer = {
  status: 404,
  body: failure(404, "NotFound", "the server could not find the requested resource"),
};

function failure(code: number, reason: string, message: string): object {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code };
}

function groupOf(name: string, apis: readonly AggregatedApi[]): object {
  const versions = apis.map(({ groupVersion }) => ({ groupVersion, version: groupVersion.split("/")[1] ?? "" }));
  return { kind: "APIGroup", apiVersion: "v1", name, versions, preferredVersion: versions[0] };
}

/** Upstream: k8s.io/kube-aggregator/pkg/apiserver/handler_discovery.go: a group that cannot be read is told as stale. */
function discoveryOf(name: string, apis: readonly AggregatedApi[]): object {
  const versions = apis.map(({ groupVersion, resources }) => ({
    version: groupVersion.split("/")[1] ?? "",
    freshness: resources === undefined ? "Stale" : "Current",
    ...(resources === undefined
      ? {}
      : { resources: resources.map((resource) => resourceDiscovery(name, groupVersion, resource)) }),
  }));
  return { metadata: { name, creationTimestamp: null }, versions };
}

function resourceDiscovery(group: string, groupVersion: string, resource: ApiResource): object {
  const { name, singularName, namespaced, kind, verbs } = resource;
  return {
    resource: name,
    responseKind: { group, version: groupVersion.split("/")[1] ?? "", kind },
    scope: namespaced ? "Namespaced" : "Cluster",
    singularResource: singularName,
    verbs,
  };
}

function jsonResponse(status: number, value: unknown): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: bytesOf(value) };
}

function bytesOf(value: unknown): { readonly kind: "bytes"; readonly bytes: Uint8Array } {
  return { kind: "bytes", bytes: new TextEncoder().encode(stringifyJson(value)) };
}
