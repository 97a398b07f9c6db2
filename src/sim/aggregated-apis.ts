// API groups of other servers behind the API server's aggregator, answered by the simulation itself. They are in
// discovery like any other group, or break it, like an unreachable aggregated server.

import { resourcesOfList } from "#apiserver/aggregation/remote-discovery.ts";
import type { ApiServer } from "#apiserver/create-api-server.ts";
import type { AuditSink } from "#apiserver/filters/audit.ts";
import type { Registry } from "#apiserver/registry.ts";
import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { stringifyJson } from "#base/json.ts";
import type { ApiResource } from "#client/discovery.ts";

export interface AggregatedApi {
  /** "metrics.k8s.io/v1beta1". */
  readonly groupVersion: string;
  /** Absent: the group's server is unreachable, and its discovery fails. */
  readonly resources?: readonly ApiResource[];
  /** Answers a request for a resource. `path`: the part after "/apis/<group>/<version>/". */
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

/** Like the stage's APIServices on a real control plane. */
const PRIORITY = 100;
const UNAVAILABLE = 503;

export class AggregatedApis {
  readonly #apis = new Map<string, AggregatedApi>();
  #registry: Registry | undefined;

  serve(api: AggregatedApi): void {
    this.#apis.set(api.groupVersion, api);
    this.#show(api);
  }

  withdraw(groupVersion: string): void {
    this.#apis.delete(groupVersion);
    const [group = "", version = ""] = groupVersion.split("/");
    this.#registry?.removeRemote(group, version);
  }

  /** The server with these groups added. */
  over(server: ApiServer): ApiServer {
    this.#registry = server.registry;
    for (const api of this.#apis.values()) this.#show(api);
    return server;
  }

  /** The aggregator forwards bodies without reading them, so audit events do not contain them. */
  withoutBodies(sink: AuditSink): AuditSink {
    return {
      record: (event) => {
        const [, , group = "", version = ""] = event.request.path.split("/");
        const { body: _, ...passed } = event.request;
        sink.record(this.#apis.has(`${group}/${version}`) ? { ...event, request: passed } : event);
      },
    };
  }

  #show(api: AggregatedApi): void {
    const [group = "", version = ""] = api.groupVersion.split("/");
    const { resources } = api;
    this.#registry?.setRemote({
      group,
      version,
      groupPriority: PRIORITY,
      versionPriority: PRIORITY,
      resources: resourcesOfList({ resources: resources ?? [] }, group, version),
      isCurrent: resources !== undefined,
      forward: async ({ request }) => answerOf(api, request),
    });
  }
}

function answerOf(api: AggregatedApi, { method, query, path: whole }: HttpRequest): HttpResponse {
  const { groupVersion, resources } = api;
  const path = whole.split("/").slice(4).join("/");
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

function jsonResponse(status: number, value: unknown): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: bytesOf(value) };
}

function bytesOf(value: unknown): { readonly kind: "bytes"; readonly bytes: Uint8Array } {
  return { kind: "bytes", bytes: new TextEncoder().encode(stringifyJson(value)) };
}
