// GET /debug/controllers/garbage-collector-controller/graph: the graph, or with ?uid= the part around some objects.
// Upstream: pkg/controller/garbagecollector/dump.go, debugHTTPHandler.

import type { HttpRequest, HttpResponse } from "#base/http.ts";
import { connectedNodes, graphToDot } from "./dot.ts";
import type { DependencyGraph } from "./graph.ts";

const NOSNIFF = { "x-content-type-options": "nosniff" };

export function graphPage({ path, query }: Pick<HttpRequest, "path" | "query">, graph: DependencyGraph): HttpResponse {
  if (path !== "/graph") return page(404, "\n", { ...NOSNIFF, "content-type": "text/plain; charset=utf-8" });
  const uids = new URLSearchParams(query).getAll("uid");
  const nodes = uids.length === 0 ? graph.nodes() : connectedNodes(uids, (uid) => graph.get(uid));
  return page(200, graphToDot(nodes), { ...NOSNIFF, "content-type": "text/vnd.graphviz" });
}

function page(status: number, text: string, headers: HttpResponse["headers"]): HttpResponse {
  return { status, headers, body: { kind: "bytes", bytes: new TextEncoder().encode(text) } };
}
