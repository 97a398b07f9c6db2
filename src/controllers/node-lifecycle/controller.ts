/**
 * Monitors the health of nodes: conditions, taints, and the readiness of pods on failed nodes.
 *
 * Keeps true:  the NoSchedule taints of a Node follow its conditions and spec.unschedulable, the beta labels of its OS
 *              and architecture the stable ones. A Node whose status and Lease have not changed for
 *              --node-monitor-grace-period has conditions of status Unknown. A Node that is not ready gets the
 *              NoExecute taint not-ready or unreachable, at the rate of its zone, and its pods are not ready. When no
 *              Node of any zone is ready, NoExecute taints are removed and none are added.
 * Requeues:    checks all Nodes every --node-monitor-period, and the queues of the zones every 100 ms.
 * Upstream:    pkg/controller/nodelifecycle. The deletion of pods is taint-eviction's.
 * Deviations:  nodes are checked in the order of their names. A zone without nodes is forgotten in the next pass; Go
 *              forgets it then or later, at random.
 */

import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { untilIdle } from "#base/idle-loop.ts";
import { until } from "#base/wait.ts";
import { events, get, patch, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { addNodeIndex } from "#kit/pods-by-node.ts";
import { type Deps, type NodeLifecycleOptions, newMemory } from "./deps.ts";
import { registerNodeLifecycleMetrics } from "./metrics.ts";
import { monitorNodes } from "./monitor.ts";
import { isNoNodeWaiting, taintWaitingNodes } from "./no-execute-taints.ts";
import { syncPod } from "./pod-readiness.ts";
import { syncNode } from "./sync.ts";

const NODE_WORKERS = 8;
const POD_WORKERS = 4;
const TAINT_PERIOD_MS = 100;

export const nodeLifecycleController: ControllerDescriptor<NodeLifecycleOptions> = keyedController({
  name: "node-lifecycle-controller",
  contract: {
    watches: [Nodes, Pods, Leases, DaemonSets],
    reads: [get(Nodes)],
    writes: [patch(Nodes), update(Nodes, "status"), update(Pods, "status"), ...events],
  },
  build(parts, options) {
    const { clock, rng, metrics } = parts.context;
    const nodes = parts.informer(Nodes);
    const pods = parts.informer(Pods);
    addNodeIndex(pods);
    // Upstream waits for DaemonSets without reading them.
    parts.informer(DaemonSets);
    const deps: Deps = {
      options,
      clock,
      rng: rng.fork("node-lifecycle"),
      log: parts.log,
      recorder: parts.recorder(),
      metrics: registerNodeLifecycleMetrics(metrics),
      nodes,
      pods,
      leases: parts.informer(Leases),
      nodesApi: parts.client.resource(Nodes),
      podsApi: parts.client.resource(Pods),
      memory: newMemory(),
    };
    const nodeQueue = parts.queue({ name: "node_lifecycle_controller" });
    const podQueue = parts.queue({ name: "node_lifecycle_controller_pods" });
    parts.enqueue(nodes, nodeQueue, { on: ["add", "update"] });
    parts.handle(nodes, { onDelete: ({ metadata }) => void deps.memory.toRetry.delete(metadata.name) });
    parts.enqueue(pods, podQueue, {
      on: ["add", "update"],
      when: ({ spec }, old) => (spec?.nodeName ?? "") !== "" && spec?.nodeName !== old?.spec?.nodeName,
    });
    parts.work({ queue: nodeQueue, workers: NODE_WORKERS, sync: (name, signal) => syncNode(name, deps, signal) });
    parts.work({
      queue: podQueue,
      workers: POD_WORKERS,
      retryVerbosity: 0,
      sync: (key, signal) => syncPod(key, deps, signal),
    });
    const tainting = {
      periodMs: TAINT_PERIOD_MS,
      clock,
      isIdle: () => isNoNodeWaiting(deps),
      wakeup: deps.memory.nodeWaits,
    };
    parts.loop((signal) => untilIdle((signal) => taintWaitingNodes(deps, signal), tainting, signal));
    parts.loop((signal) => until((signal) => monitorNodes(deps, signal), options.monitorPeriodMs, clock, signal));
  },
});
