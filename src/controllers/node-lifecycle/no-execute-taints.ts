// The NoExecute taints of nodes that are not ready. A node gets its first one through the queue of its zone, so that a
// zone loses its pods no faster than the rate allows. Replacing one taint by the other happens at once.
// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go, doNoExecuteTaintingPass,
// processTaintBaseEviction.

import type { NodeCondition } from "#api/generated/types/core-v1.ts";
import { ref } from "#api/object.ts";
import { compareText } from "#kit/order.ts";
import { hasTaint, noExecuteChange } from "./condition-taints.ts";
import type { Deps, StoredNode } from "./deps.ts";
import { conditionOf } from "./node-health.ts";
import { TaintQueue, type Tried } from "./taint-queue.ts";
import { removeNoExecuteTaints, succeeds, swapTaints } from "./taint-writes.ts";
import { zoneOf } from "./zones.ts";

const RETRY_MS = 50;
const SUCCESS: Tried = {};

/** A zone without a state gets a new queue, which replaces the queue from before its last node was deleted. */
export function addZone(node: StoredNode, deps: Deps): void {
  const { zoneStates, taintQueues } = deps.memory;
  const zone = zoneOf(node);
  if (zoneStates.has(zone)) return;
  zoneStates.set(zone, "Initial");
  taintQueues.set(zone, newQueue(deps));
  deps.log.info("Initializing eviction metric for zone", { zone });
  deps.metrics.evictions.with([zone]);
}

/** True if no node waits for a taint. */
export function isNoNodeWaiting({ memory }: Deps): boolean {
  return [...memory.taintQueues.values()].every(({ isEmpty }) => isEmpty);
}

/** Taints as many waiting nodes as the rates of their zones allow. */
export async function taintWaitingNodes(deps: Deps, signal: AbortSignal): Promise<void> {
  for (const zone of [...deps.memory.taintQueues.keys()].sort(compareText)) {
    await deps.memory.taintQueues.get(zone)?.try((name) => taintNode(name, deps, signal));
  }
}

async function taintNode(name: string, deps: Deps, signal: AbortSignal): Promise<Tried> {
  const node = deps.nodes.lister.get(name);
  if (node === undefined) {
    deps.log.info("Node no longer present in nodeLister", { node: { name } });
    return SUCCESS;
  }
  const ready = conditionOf(node, "Ready");
  if (ready === undefined) {
    deps.log.info("Failed to get NodeCondition from the node status", { node: { name } });
    return { retryAfterMs: RETRY_MS };
  }
  const change = noExecuteChange(ready);
  if (change === undefined) return SUCCESS;
  const swapped = swapTaints(node, { add: [change.add], remove: [change.remove] }, deps, signal);
  if (!(await succeeds(swapped, "Failed to taint the node NoExecute", node, deps, signal))) return { retryAfterMs: 0 };
  deps.metrics.evictions.inc([zoneOf(node)]);
  return SUCCESS;
}

/** Updates the NoExecute taints of a node after its health was checked. */
export async function followReadiness(
  node: StoredNode,
  ready: NodeCondition,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const change = noExecuteChange(ready);
  if (change === undefined) {
    if (ready.status === "True") await markReachable(node, deps, signal);
    return;
  }
  const { add, remove } = change;
  if (hasTaint(node.spec?.taints, remove)) {
    const swapped = swapTaints(node, { add: [add], remove: [remove] }, deps, signal);
    await succeeds(
      swapped,
      "Failed to instantly swap the NoExecute taint. Will try again in the next cycle",
      node,
      deps,
      signal,
    );
    return;
  }
  const queue = queueOf(node, deps);
  // A node that was tainted and lost the taint waits for it again.
  if (!hasTaint(node.spec?.taints, add)) queue.remove(node.metadata.name);
  if (queue.add(node.metadata.name)) {
    deps.log.v(2).info("Node is not ready. Adding it to the Taint queue", { node: ref(node), status: ready.status });
  }
}

/** Removes both taints, and removes the node from the queue. */
export async function markReachable(node: StoredNode, deps: Deps, signal: AbortSignal): Promise<void> {
  const removed = removeNoExecuteTaints(node, deps, signal);
  if (!(await succeeds(removed, "Failed to remove taints from node", node, deps, signal))) return;
  if (queueOf(node, deps).remove(node.metadata.name)) {
    deps.log.v(2).info("Node is healthy again, removed all taints", { node: ref(node) });
  }
}

function newQueue({ clock, options, memory }: Deps): TaintQueue {
  return new TaintQueue(clock, options.rates.normalPerSecond, () => memory.nodeWaits.wake());
}

function queueOf(node: StoredNode, deps: Deps): TaintQueue {
  const { taintQueues } = deps.memory;
  const zone = zoneOf(node);
  const known = taintQueues.get(zone);
  if (known !== undefined) return known;
  // The node was read live and may be in a zone that the caches do not know yet.
  const queue = newQueue(deps);
  taintQueues.set(zone, queue);
  return queue;
}
