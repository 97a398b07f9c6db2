// The graph in Graphviz's language, for /debug/controllers/garbage-collector-controller/graph.
// Upstream: pkg/controller/garbagecollector/dump.go. Deviation: an owner that is not in the graph is listed once, and
// the edges of other nodes keep their ends; upstream lists it once per dependent and mixes it up with the dependent.

import type { OwnerReference } from "#api/meta.ts";
import { parseApiVersion } from "#api/object.ts";
import { goQuote } from "#base/go-text.ts";
import { compareText } from "#kit/order.ts";
import type { GraphNode } from "./graph-node.ts";
import { type Identity, identityOfOwner } from "./identity.ts";

interface Vertex {
  readonly identity: Identity;
  readonly isMissing: boolean;
  readonly isBeingDeleted: boolean;
  readonly isDeletingDependents: boolean;
  readonly isVirtual: boolean;
}

/** Nodes without owners and dependents are left out. */
export function graphToDot(nodes: Iterable<GraphNode>): string {
  const vertices = new Map<string, Vertex>();
  const edges: { from: string; to: string }[] = [];
  const connected = [...nodes].filter(({ dependents, owners }) => dependents.size + owners.length > 0);
  for (const node of connected) vertices.set(node.identity.uid, { ...node, isMissing: false });
  for (const { identity, owners } of connected) {
    for (const reference of owners) {
      if (!vertices.has(reference.uid)) vertices.set(reference.uid, missingOwner(reference));
      edges.push({ from: identity.uid, to: reference.uid });
    }
  }
  const vertexTexts = [...vertices.values()]
    .sort((a, b) => compareText(a.identity.uid, b.identity.uid))
    .map(vertexToDot);
  const edgeTexts = edges
    .sort((a, b) => compareText(a.from, b.from) || compareText(a.to, b.to))
    .map(({ from, to }) => `  ${goQuote(from)} -> ${goQuote(to)};\n`);
  return [
    "strict digraph full {\n",
    ...(vertexTexts.length > 0 ? ["  // Node definitions.\n", ...vertexTexts] : []),
    ...(edgeTexts.length > 0 ? ["  // Edge definitions.\n", ...edgeTexts] : []),
    "}\n",
  ].join("");
}

/** The nodes with these UIDs, and all nodes connected to them by owner references, in either direction. */
export function connectedNodes(
  uids: readonly string[],
  nodeOf: (uid: string) => GraphNode | undefined,
): readonly GraphNode[] {
  const found = new Map<string, GraphNode>();
  const pending = [...uids];
  for (let uid = pending.pop(); uid !== undefined; uid = pending.pop()) {
    const node = found.has(uid) ? undefined : nodeOf(uid);
    if (node === undefined) continue;
    found.set(uid, node);
    for (const owner of node.owners) pending.push(owner.uid);
    for (const { identity } of node.dependents) pending.push(identity.uid);
  }
  return [...found.values()];
}

function missingOwner(reference: OwnerReference): Vertex {
  return {
    identity: identityOfOwner(reference, ""),
    isMissing: true,
    isBeingDeleted: false,
    isDeletingDependents: false,
    isVirtual: false,
  };
}

function vertexToDot(vertex: Vertex): string {
  const { apiVersion, kind, namespace, name, uid } = vertex.identity;
  const { group, version } = parseApiVersion(apiVersion);
  const attributes = {
    label: labelOf(vertex),
    group,
    version,
    kind,
    namespace,
    name,
    uid,
    missing: String(vertex.isMissing),
    beingDeleted: String(vertex.isBeingDeleted),
    deletingDependents: String(vertex.isDeletingDependents),
    virtual: String(vertex.isVirtual),
  };
  const lines = Object.entries(attributes).map(([key, value]) => `    ${key}=${goQuote(value)}\n`);
  return `  ${goQuote(uid)} [\n${lines.join("")}  ];\n`;
}

function labelOf(vertex: Vertex): string {
  const { apiVersion, kind, namespace, name, uid } = vertex.identity;
  const { group, version } = parseApiVersion(apiVersion);
  const conditions = [
    ...(vertex.isBeingDeleted ? ["beingDeleted"] : []),
    ...(vertex.isDeletingDependents ? ["deletingDependents"] : []),
    ...(vertex.isVirtual ? ["virtual"] : []),
    ...(vertex.isMissing ? ["missingFromGraph"] : []),
  ].join(",");
  const fullKind = [kind, version, ...(group === "" ? [] : [group])].join(".");
  return `uid=${uid}\nnamespace=${namespace}\n${fullKind}/${name}\n${conditions === "" ? "" : `${conditions}\n`}`;
}
