// One pass over the health of all nodes: finds new, deleted and silent nodes, updates taints and pods, and computes how
// disrupted the zones are.
// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go, monitorNodeHealth.

import { semanticEqual } from "#api/equality.ts";
import type { Node, NodeCondition } from "#api/generated/types/core-v1.ts";
import { ref } from "#api/object.ts";
import { pollImmediate } from "#base/wait.ts";
import { compareText } from "#kit/order.ts";
import { podsOnNode } from "#kit/pods-by-node.ts";
import { parallelizeUntil } from "#workqueue/parallelize.ts";
import { type Deps, nodeReference, type StoredNode } from "./deps.ts";
import { planDisruption } from "./disruption.ts";
import { addZone, followReadiness, markReachable } from "./no-execute-taints.ts";
import { conditionOf, isOverdue, observeHealth, unknownConditions } from "./node-health.ts";
import { markPodsNotReady } from "./pod-readiness.ts";
import { healthOfZone, isExcludedFromDisruption, type ZoneHealth, zoneOf } from "./zones.ts";

const WORKERS = 8;
const TRIES = { intervalMs: 20, timeoutMs: 100 };
const LEASE_NAMESPACE = "kube-node-lease";

type ReadyByZone = Map<string, (NodeCondition | undefined)[]>;

export async function monitorNodes(deps: Deps, signal: AbortSignal): Promise<void> {
  const { clock, metrics } = deps;
  const beganMs = clock.monotonicMs();
  const nodes = deps.nodes.lister.list().toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  await noticeNodes(nodes, deps, signal);
  const readyByZone: ReadyByZone = new Map();
  const lookAt = async (index: number, signal: AbortSignal): Promise<void> => {
    const nodeBeganMs = clock.monotonicMs();
    await monitorNode(nodes[index] as StoredNode, readyByZone, deps, signal);
    metrics.nodeDuration.observe((clock.monotonicMs() - nodeBeganMs) / 1000);
  };
  await parallelizeUntil(WORKERS, nodes.length, lookAt, signal);
  await followZones(nodes, readyByZone, deps, signal);
  metrics.allNodesDuration.observe((clock.monotonicMs() - beganMs) / 1000);
}

/** New nodes lose their NoExecute taints. At the start all nodes are new, and the taints return through the queues. */
async function noticeNodes(nodes: readonly StoredNode[], deps: Deps, signal: AbortSignal): Promise<void> {
  const { known } = deps.memory;
  const added = nodes.filter(({ metadata }) => !known.has(metadata.name));
  const present = new Set(nodes.map(({ metadata }) => metadata.name));
  const deleted = [...known.values()].filter(({ metadata }) => !present.has(metadata.name));
  for (const node of nodes) if (known.has(node.metadata.name)) addZone(node, deps);
  for (const node of added) {
    recordNodeEvent(node, "RegisteredNode", `Registered Node ${node.metadata.name} in Controller`, deps);
    known.set(node.metadata.name, node);
    addZone(node, deps);
    await markReachable(node, deps, signal);
  }
  for (const node of deleted) {
    recordNodeEvent(node, "RemovingNode", `Removing Node ${node.metadata.name} from Controller`, deps);
    known.delete(node.metadata.name);
  }
}

function recordNodeEvent(node: StoredNode, reason: string, text: string, { recorder }: Deps): void {
  recorder.event(nodeReference(node), "Normal", reason, `Node ${node.metadata.name} event: ${text}`);
}

async function monitorNode(
  cached: StoredNode,
  readyByZone: ReadyByZone,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { toRetry } = deps.memory;
  const { name } = cached.metadata;
  const updated = await updateHealth(cached, deps, signal);
  if (updated === undefined) return;
  const { node, observed } = updated;
  const current = conditionOf(node, "Ready");
  if (!isExcludedFromDisruption(node)) {
    const zone = zoneOf(node);
    const conditions = readyByZone.get(zone);
    if (conditions === undefined) readyByZone.set(zone, [current]);
    else conditions.push(current);
  }
  if (current !== undefined) {
    await followReadiness(node, current, deps, signal);
    const hasFailed = current.status !== "True" && observed === "True";
    if (hasFailed) {
      const message = `Node ${name} status is now: NodeNotReady`;
      deps.recorder.event(nodeReference(node), "Normal", "NodeNotReady", message);
    }
    if (hasFailed || (toRetry.has(name) && observed !== "True")) {
      try {
        await markPodsNotReady(podsOnNode(deps.pods, name), deps, signal);
      } catch (error) {
        if (signal.aborted) throw error;
        const message = "Unable to mark all pods NotReady on node; queuing for retry";
        deps.log.error(error, message, { node: ref(node) });
        toRetry.add(name);
        return;
      }
    }
  }
  toRetry.delete(name);
}

interface HealthUpdate {
  readonly node: StoredNode;
  /** The previous status of its Ready condition. */
  readonly observed: string;
}

/** Undefined when the server refused the update. Before each further try the node is read again. */
async function updateHealth(cached: StoredNode, deps: Deps, signal: AbortSignal): Promise<HealthUpdate | undefined> {
  const { clock, log, nodesApi } = deps;
  const { name } = cached.metadata;
  let node = cached;
  let updated: HealthUpdate | undefined;
  let problem: unknown;
  const isUpdated = async (): Promise<boolean> => {
    const observed = conditionOf(node, "Ready")?.status ?? "Unknown";
    try {
      updated = { node: await tryUpdateHealth(node, deps, signal), observed };
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      log.error(error, "Error updating node", { node: { name } });
      problem = error;
    }
    node = await nodesApi.get({ name }, signal);
    return false;
  };
  try {
    if (!(await pollImmediate(isUpdated, { ...TRIES, clock }, signal))) throw problem;
  } catch (error) {
    if (signal.aborted) throw error;
    const message = "Update health of Node from Controller error, Skipping - no pods will be evicted";
    log.error(error, message, { node: { name } });
  }
  return updated;
}

/** The node, with Unknown conditions if it has been silent for too long; these are written to the server. */
async function tryUpdateHealth(node: StoredNode, deps: Deps, signal: AbortSignal): Promise<StoredNode> {
  const { clock, memory, options } = deps;
  const { name } = node.metadata;
  const nowMs = clock.now();
  const lease = deps.leases.lister.get(`${LEASE_NAMESPACE}/${name}`);
  const health = observeHealth(node, memory.health.get(name), lease, nowMs);
  memory.health.set(name, health);
  if (!isOverdue(node, health, options.grace, nowMs)) return node;
  const conditions = unknownConditions(node, nowMs);
  const silent: StoredNode = { ...node, status: { ...node.status, conditions } as NonNullable<Node["status"]> };
  const ready = conditionOf(silent, "Ready");
  // A node that is already Unknown is not written again, whatever its other conditions.
  if (semanticEqual(ready, conditionOf(node, "Ready"))) return silent;
  await deps.nodesApi.updateStatus({ object: silent }, signal);
  memory.health.set(name, { heardAtMs: health.heardAtMs, ready, lease });
  return silent;
}

async function followZones(
  nodes: readonly StoredNode[],
  readyByZone: ReadyByZone,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { options, memory, log } = deps;
  const zones = new Map<string, ZoneHealth>();
  for (const zone of [...readyByZone.keys()].sort(compareText)) {
    zones.set(zone, healthOfZone(readyByZone.get(zone) ?? [], options.unhealthyZoneThreshold));
  }
  showZones(zones, deps);
  const { change, states, rates } = planDisruption(memory.zoneStates, zones, options.rates);
  if (change === "enter") {
    log.info("Controller detected that all Nodes are not-Ready. Entering master disruption mode");
    for (const node of nodes) await markReachable(node, deps, signal);
  } else if (change === "exit") {
    log.info("Controller detected that some Nodes are Ready. Exiting master disruption mode");
    const heardAtMs = deps.clock.now();
    for (const { metadata } of nodes) {
      const health = memory.health.get(metadata.name);
      if (health !== undefined) memory.health.set(metadata.name, { ...health, heardAtMs });
    }
  }
  for (const [zone, rate] of rates) {
    log.info("Controller detected that zone is now in new state", { zone, newState: states.get(zone) });
    memory.taintQueues.get(zone)?.setRate(rate);
  }
  memory.zoneStates.clear();
  for (const [zone, state] of states) memory.zoneStates.set(zone, state);
}

function showZones(zones: ReadonlyMap<string, ZoneHealth>, { metrics, memory }: Deps): void {
  for (const [zone, { size, unhealthy }] of zones) {
    metrics.zoneSize.set(size, [zone]);
    metrics.zoneHealth.set((100 * (size - unhealthy)) / size, [zone]);
    metrics.unhealthyNodes.set(unhealthy, [zone]);
  }
  for (const zone of memory.zoneStates.keys()) {
    if (zones.has(zone)) continue;
    metrics.zoneSize.set(0, [zone]);
    metrics.zoneHealth.set(100, [zone]);
    metrics.unhealthyNodes.set(0, [zone]);
  }
}
