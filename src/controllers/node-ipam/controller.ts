/**
 * Allocates a range of pod addresses to each node, from each range in --cluster-cidr.
 *
 * Keeps true:  every Node has podCIDRs, no two Nodes share an address, and no Node has one of
 *              --service-cluster-ip-range. The ranges of a Node that is deleted are free again.
 * Requeues:    never; failures are retried with back-off.
 * Upstream:    pkg/controller/nodeipam, of which the range allocator is all that kube-controller-manager can run.
 * Deviations:  an IPv4 node mask of more than 32 bits is refused; Go accepts it but cannot print such ranges.
 */

import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Node } from "#api/generated/types/core-v1.ts";
import { ref } from "#api/object.ts";
import type { StoredCluster } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { ResourceClient } from "#client/client.ts";
import { events, list, patch } from "#kit/contract.ts";
import type { Controller, ControllerContext, ControllerDescriptor } from "#kit/controller.ts";
import { controllerParts } from "#kit/controller-parts.ts";
import { formatCidr } from "#rules/cidr.ts";
import { CidrSet, sizeOf } from "./cidr-set.ts";
import { registerCidrSetMetrics } from "./metrics.ts";
import { NodeRanges } from "./node-ranges.ts";
import { type NodeIpamOptions, readSettings } from "./settings.ts";
import { type Deps, syncNode } from "./sync.ts";

const NAME = "node-ipam-controller";
const WORKERS = 30;
const LIST_PERIOD_MS = 10_000;
const LIST_PATIENCE_MS = 600_000;

export const nodeIpamController: ControllerDescriptor<NodeIpamOptions> = {
  name: NAME,
  contract: {
    watches: [Nodes],
    reads: [list(Nodes)],
    writes: [patch(Nodes), ...events],
  },
  async build(context, options, signal) {
    return options.isEnabled ? await build(context, options, signal) : undefined;
  },
};

async function build(context: ControllerContext, options: NodeIpamOptions, signal: AbortSignal): Promise<Controller> {
  const settings = readSettings(options);
  const parts = await controllerParts(context, NAME);
  const { log } = parts;
  const nodesApi = parts.client.resource(Nodes);
  const existing = await listNodes(nodesApi, context.clock, log, signal);

  const ranges = new NodeRanges(
    settings.ranges.map((range) => {
      const metrics = registerCidrSetMetrics(context.metrics, formatCidr(range.cluster), sizeOf(range));
      return new CidrSet(range, metrics);
    }),
  );
  for (const CIDR of settings.unreadable) log.info("Warning: unsuccessful parsing of service CIDR", { CIDR });
  for (const service of settings.services) ranges.keepOut(service, settings.ranges);
  for (const node of existing) ranges.occupy(node);

  const nodes = parts.informer(Nodes);
  const deps: Deps = { log, nodes, nodesApi, recorder: parts.recorder("cidrAllocator"), ranges };
  const queue = parts.queue({ name: "cidrallocator_node" });
  parts.enqueue(nodes, queue, { on: ["add", "update"] });
  parts.handle(nodes, {
    // After the deletion only this event has the node's ranges.
    onDelete(node) {
      try {
        ranges.releaseOf(node);
      } catch (error) {
        log.error(error, "Error while processing CIDR Release", { node: ref(node) });
      }
    },
  });
  parts.work({ queue, workers: WORKERS, sync: (name, signal) => syncNode(name, deps, signal) });
  const controller = parts.controller();
  return {
    async run(signal) {
      using _ = context.markRunning("nodeipam");
      await controller.run(signal);
    },
  };
}

/** Lists all nodes from the server: a range that is not marked as used would be allocated twice. */
async function listNodes(
  api: ResourceClient<StoredCluster<Node>>,
  clock: Clock,
  log: Logger,
  signal: AbortSignal,
): Promise<readonly StoredCluster<Node>[]> {
  const beganMs = clock.monotonicMs();
  for (;;) {
    try {
      return (await api.list({}, signal)).items;
    } catch (error) {
      if (signal.aborted) throw error;
      log.error(error, "Failed to list all nodes");
      if (clock.monotonicMs() - beganMs + LIST_PERIOD_MS > LIST_PATIENCE_MS) {
        throw new Error("failed to list all nodes in 10m0s, cannot proceed without updating CIDR map", {
          cause: error,
        });
      }
    }
    await clock.sleep(LIST_PERIOD_MS, signal);
  }
}
