/**
 * Sets how long kubelets may cache Secrets and ConfigMaps: the more nodes, the longer.
 *
 * Keeps true:  the annotation node.alpha.kubernetes.io/ttl of each Node is the TTL of the cluster's size. A change of
 *              size reaches a Node with its next event.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/ttl.
 * Deviations:  none.
 */

import { Nodes } from "#api/generated/resources/core-v1.ts";
import { patch } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { ClusterSize } from "./cluster-size.ts";
import { syncNode } from "./sync.ts";

export const ttlController: ControllerDescriptor = keyedController({
  name: "ttl-controller",
  contract: {
    watches: [Nodes],
    reads: [],
    writes: [patch(Nodes)],
  },
  build(parts) {
    const nodes = parts.informer(Nodes);
    const size = new ClusterSize();
    const deps = { nodes, size, nodesApi: parts.client.resource(Nodes), log: parts.log };
    const queue = parts.queue({ name: "ttlcontroller" });
    parts.handle(nodes, { onAdd: () => size.nodeAdded(), onDelete: () => size.nodeDeleted() });
    parts.enqueue(nodes, queue, { on: ["add", "update"] });
    parts.work({ queue, workers: 5, sync: (key, signal) => syncNode(key, deps, signal) });
  },
});
