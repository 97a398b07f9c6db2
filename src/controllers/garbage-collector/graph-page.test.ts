import { expect, it } from "vitest";
import type { HttpResponse } from "#base/http.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { DependencyGraph } from "./graph.ts";
import { graphPage } from "./graph-page.ts";
import { identity } from "./testing.ts";

const nothing = (): void => undefined;

function textOf({ body }: HttpResponse): string {
  return body.kind === "bytes" ? new TextDecoder().decode(body.bytes) : "";
}

it("garbage-collector/27, machinery/2.2.r12 serves the graph, or the part around some objects, and nothing else", () => {
  const graph = new DependencyGraph(new AbsentOwners(), {
    attemptToDelete: nothing,
    attemptToDeleteLater: nothing,
    attemptToOrphan: nothing,
    ownerIsElsewhere: nothing,
  });
  for (const name of ["a", "b"]) {
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: `owner-${name}`, uid: `uid-owner-${name}` }];
    graph.apply({ kind: "seen", identity: identity(name), metadata: { ownerReferences } });
  }
  const all = graphPage({ path: "/graph", query: "" }, graph);
  expect([all.status, all.headers]).toEqual([
    200,
    { "content-type": "text/vnd.graphviz", "x-content-type-options": "nosniff" },
  ]);
  expect(textOf(all).match(/^ {2}"[\w-]+" \[$/gm)).toHaveLength(4);
  const part = textOf(graphPage({ path: "/graph", query: "uid=uid-a&uid=none" }, graph));
  expect(part.match(/->.*/g)).toEqual(['-> "uid-owner-a";']);
  expect(textOf(graphPage({ path: "/graph", query: "uid=none" }, graph))).toBe("strict digraph full {\n}\n");
  for (const path of ["", "/", "/graph/", "/graphs"]) {
    const { status, headers, body } = graphPage({ path, query: "" }, graph);
    expect([status, headers["content-type"], textOf({ status, headers, body })]).toEqual([
      404,
      "text/plain; charset=utf-8",
      "\n",
    ]);
  }
});
