/**
 * Deletes pods that no kubelet will ever end: surplus terminated pods, and pods of nodes that are gone or out of
 * service.
 *
 * Keeps true:  at most --terminated-pod-gc-threshold terminated pods exist. A terminating pod that is unscheduled, or
 *              whose node is not ready and tainted out-of-service, is deleted at once. A pod whose node has been
 *              missing for 40 seconds is deleted too.
 * Requeues:    checks all pods every 20 seconds, and retries failures then.
 * Deviations:  pods are deleted in the order of their names. A pod that is gone before its turn is skipped.
 * Upstream:    pkg/controller/podgc.
 */

import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { until } from "#base/wait.ts";
import { get, patch, remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { createDelayingQueue } from "#workqueue/delaying-queue.ts";
import { collect, type Deps } from "./collect.ts";
import { registerPodGcMetrics } from "./metrics.ts";

const CHECK_PERIOD_MS = 20_000;

export interface PodGcOptions {
  /** --terminated-pod-gc-threshold; 0 or less: terminated pods stay. */
  readonly terminatedPodsMax: number;
}

export const podGarbageCollector: ControllerDescriptor<PodGcOptions> = keyedController({
  name: "pod-garbage-collector-controller",
  contract: {
    watches: [Pods, Nodes],
    reads: [get(Nodes)],
    writes: [patch(Pods, "status"), remove(Pods)],
  },
  build(parts, { terminatedPodsMax }) {
    const { clock, gates, metrics } = parts.context;
    const deps: Deps = {
      clock,
      gates,
      log: parts.log,
      pods: parts.informer(Pods),
      nodes: parts.informer(Nodes),
      podsApi: parts.client.resource(Pods),
      nodesApi: parts.client.resource(Nodes),
      missingNodes: createDelayingQueue({ clock, metrics, name: "orphaned_pods_nodes" }),
      metrics: registerPodGcMetrics(metrics),
      terminatedPodsMax,
    };
    parts.loop(async (signal) => {
      try {
        await until((signal) => collect(deps, signal), CHECK_PERIOD_MS, clock, signal);
      } finally {
        deps.missingNodes.shutDown();
      }
    });
  },
});
