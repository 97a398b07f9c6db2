// Syncs one Node: compares its TTL annotation with the TTL for the cluster's size.
// Upstream: pkg/controller/ttl/ttl_controller.go, updateNodeIfNeeded.

import type { Nodes } from "#api/generated/resources/core-v1.ts";
import { type ObjectKey, ref } from "#api/object.ts";
import type { ObjectOf } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import type { ClusterSize } from "./cluster-size.ts";

const TTL_ANNOTATION = "node.alpha.kubernetes.io/ttl";
/** The syntax of Go's strconv.Atoi. */
const INTEGER = /^[+-]?[0-9]+$/;

type Node = ObjectOf<typeof Nodes>;

export interface Deps {
  readonly nodes: SharedInformer<Node>;
  readonly nodesApi: ResourceClient<Node>;
  readonly size: Pick<ClusterSize, "ttlSeconds">;
  readonly log: Logger;
}

export async function syncNode(name: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const node = deps.nodes.lister.get(name);
  if (node === undefined) return done;
  const { ttlSeconds } = deps.size;
  if (annotatedSeconds(node, deps.log) === ttlSeconds) return done;
  const change = { metadata: { annotations: { [TTL_ANNOTATION]: String(ttlSeconds) } } };
  await deps.nodesApi.patch({ name, type: "strategic", patch: change }, signal);
  deps.log.v(2).info("Changed ttl annotation", { node: ref(node), TTL: ttlSeconds });
  return done;
}

function annotatedSeconds(node: Node, log: Logger): number | undefined {
  const text = node.metadata.annotations?.[TTL_ANNOTATION];
  if (text === undefined) return undefined;
  if (INTEGER.test(text)) return Number(text);
  log.info("Could not convert the value with annotation key for the node", {
    annotationValue: text,
    annotationKey: TTL_ANNOTATION,
    node: ref(node),
  });
  return undefined;
}
