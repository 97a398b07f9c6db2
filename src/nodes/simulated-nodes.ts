/**
 * Nodes without machines: they register themselves, renew their leases, and run the pods bound to them.
 *
 * Keeps true:  their Node objects exist and are Ready; a pod bound to one goes through the states of its behaviour; a
 *              deleted pod ends.
 * Watches:     Pod (spec.nodeName), Node.
 * Writes:      create of Node, Lease, and the Service and APIService of the metrics API; patch of nodes, nodes/status
 *              and pods/status; update of Lease; delete of Pod; events.
 * Requeues:    while containers are starting, and for a deleted pod until its grace period has passed.
 */

import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Node, Pod, PodStatus } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Client } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { ControllerParts } from "#kit/controller-parts.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { BadBehaviour, type Behaviour, behaviourOf } from "./behaviour.ts";
import { type MetricsApi, registerMetricsApi } from "./metrics-api.ts";
import { keepRegistered, type NodeIdentity } from "./node-heartbeats.ts";
import { lostBeforeMs, type Outage, outageAt } from "./outages.ts";
import { nodeAddress, PodAddresses } from "./pod-addresses.ts";
import { killEvents, type NodeEvent } from "./pod-events.ts";
import { lastStatus, nextStep } from "./pod-lifecycle.ts";
import { ReportedFailures } from "./reported-failures.ts";
import { noStages, outagesOf, ruledPod, type Stages } from "./stages.ts";

/** The number of pods that are synced at the same time. */
const WORKERS = 16;

export interface SimulatedNodesOptions {
  readonly count: number;
  /** From binding to running. */
  readonly startMs: number;
  /** From the deletion to the end; never longer than the pod's grace period. */
  readonly stopMs: number;
  /** Called when all nodes are Ready for the first time. */
  readonly onReady?: () => void;
  /** Called when all nodes accept pods for the first time: the node lifecycle controller has untainted them. */
  readonly onUntainted?: () => void;
  /** Reports the usage of pods and nodes. */
  readonly metricsApi?: MetricsApi;
  /** Absent: pods behave according to their annotations, and nodes never fail. */
  readonly stages?: Stages;
}

interface SimulatedNode extends NodeIdentity {
  readonly addresses: PodAddresses;
}

interface Deps extends Pick<SimulatedNodesOptions, "startMs" | "stopMs"> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Client;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly nodes: ReadonlyMap<string, SimulatedNode>;
  readonly recorder: EventRecorder;
  readonly stages: Stages;
  /** The start of the times of outages. */
  readonly startedMs: EpochMs;
  outagesOf(node: string): readonly Outage[];
  readonly reportedFailures: ReportedFailures;
}

/** "node-1" and so on. */
export function nodeNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `node-${index + 1}`);
}

export async function buildSimulatedNodes(
  context: ControllerContext,
  { count, onReady, onUntainted, metricsApi, stages = noStages, ...times }: SimulatedNodesOptions,
): Promise<Controller> {
  const parts = await ControllerParts.under("kubelet", context);
  const pods = parts.informer(Pods);
  const nodes = new Map<string, SimulatedNode>(
    nodeNames(count).map((name, index) => [
      name,
      { name, address: nodeAddress(index), addresses: new PodAddresses(index) },
    ]),
  );
  const { clock } = context;
  const { log, client } = parts;
  const nodeObjects = parts.informer(Nodes);
  const cachedNode = (name: string): StoredCluster<Node> | undefined => nodeObjects.lister.get(name);
  const deps: Deps = {
    ...times,
    clock,
    log,
    client,
    pods,
    nodes,
    recorder: parts.recorder("kubelet"),
    stages,
    startedMs: clock.now(),
    outagesOf: (name) => outagesOf(name, cachedNode(name)?.metadata.labels ?? {}, stages),
    reportedFailures: new ReportedFailures(),
  };
  const queue = parts.queue({ name: "kubelet" });
  const nodeOf = (pod: Pod): SimulatedNode | undefined => nodes.get(pod.spec?.nodeName ?? "");
  parts.enqueue(pods, queue, { on: ["add", "update"], when: (pod) => nodeOf(pod) !== undefined });
  const keepAddress = (pod: Stored<Pod>): void => {
    const { podIP, phase } = pod.status ?? {};
    const addresses = nodeOf(pod)?.addresses;
    if (phase === "Succeeded" || phase === "Failed") addresses?.free(pod.metadata.uid);
    else if (podIP !== undefined) addresses?.keep(pod.metadata.uid, podIP);
  };
  parts.handle(pods, {
    onAdd: keepAddress,
    onUpdate: (_, pod) => keepAddress(pod),
    onDelete: (pod) => {
      nodeOf(pod)?.addresses.free(pod.metadata.uid);
      deps.reportedFailures.forget(pod.metadata.uid);
    },
  });
  parts.work({ queue, workers: WORKERS, sync: (key, signal) => syncPod(key, deps, signal) });
  const unregistered = new Set(nodes.keys());
  const tainted = new Set(nodes.keys());
  const look = (node: StoredCluster<Node>): void => {
    if (isReadyForPods(node) && tainted.delete(node.metadata.name) && tainted.size === 0) onUntainted?.();
  };
  parts.handle(nodeObjects, { onAdd: look, onUpdate: (_, node) => look(node) });
  const heartbeats = {
    ...deps,
    cachedNode,
    isAway: (name: string) => outageAt(deps.outagesOf(name), clock.now() - deps.startedMs) !== undefined,
    onRegistered: (name: string) => {
      if (unregistered.delete(name) && unregistered.size === 0) onReady?.();
    },
  };
  for (const node of nodes.values()) parts.fromStart((signal) => keepRegistered(node, heartbeats, signal));
  if (count === 0) {
    onReady?.();
    onUntainted?.();
  }
  if (metricsApi !== undefined && count > 0) {
    metricsApi.source = {
      pods: () => pods.lister.list().map((pod) => ruledPod(pod, stages)),
      nodes: () => nodeObjects.lister.list(),
    };
    parts.fromStart((signal) => registerMetricsApi(client, signal));
  }
  return parts.controller();
}

function isReadyForPods({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
  return isReady && !spec?.taints?.some(({ key }) => key === "node.kubernetes.io/not-ready");
}

async function syncPod(key: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined) return done;
  const node = deps.nodes.get(pod.spec?.nodeName ?? "");
  if (node === undefined) return done;
  const now = deps.clock.now();
  const outages = deps.outagesOf(node.name);
  const sinceMs = now - deps.startedMs;
  const outage = outageAt(outages, sinceMs);
  if (outage !== undefined) {
    return outage.toMs === undefined ? done : requeueAfter(outage.toMs - sinceMs, "the node is away");
  }
  const lostBefore = deps.startedMs + lostBeforeMs(outages, sinceMs);
  if (pod.metadata.deletionTimestamp !== undefined) return endPod(pod, node, now, lostBefore, deps, signal);
  const { behaviour, problem } = behaviourFor(pod, deps);
  const step = nextStep(pod, behaviour, now, lostBefore);
  if (step.kind === "rest") return done;
  if (step.kind === "wait") {
    recordEvents(pod, step.events, deps);
    return requeueAfter(step.forMs, step.reason);
  }
  await reportStatus(pod, step.status, node, deps, signal);
  const isFirst = pod.status?.containerStatuses === undefined;
  recordEvents(pod, isFirst && problem !== undefined ? [problem, ...step.events] : step.events, deps);
  return done; // the pod's next event triggers the next step
}

/** A pod with invalid annotations gets an event, and behaves as if it had none: according to its rule. */
function behaviourFor(
  pod: Stored<Pod>,
  { stages, startMs }: Deps,
): { readonly behaviour: Behaviour; readonly problem?: NodeEvent } {
  try {
    return { behaviour: behaviourOf(ruledPod(pod, stages), startMs) };
  } catch (error) {
    if (!(error instanceof BadBehaviour)) throw error;
    const { annotations: _, ...metadata } = pod.metadata;
    return {
      behaviour: behaviourOf(ruledPod({ ...pod, metadata }, stages), startMs),
      problem: { type: "Warning", reason: "InvalidSimulation", message: error.message, fieldPath: "" },
    };
  }
}

function recordEvents(pod: Stored<Pod>, events: readonly NodeEvent[], { recorder, reportedFailures }: Deps): void {
  if (events.length === 0) return;
  const about = referenceTo(pod, Pods);
  for (const event of reportedFailures.unreported(pod.metadata.uid, events)) {
    const { type, reason, message, fieldPath } = event;
    recorder.event(fieldPath === "" ? about : { ...about, fieldPath }, type, reason, message, pod.spec?.nodeName);
  }
}

/**
 * deletionTimestamp is the end of the grace period; the node may finish earlier. Who waits for the end of the pod, such
 * as a Job with a policy for failures, learns it from the last status: finalizers may keep the object.
 */
async function endPod(
  pod: Stored<Pod>,
  node: SimulatedNode,
  now: EpochMs,
  lostBefore: EpochMs,
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  const endMs = timeOrUndefined(pod.metadata.deletionTimestamp) ?? now;
  const askedMs = endMs - wrappedSecondsMs(pod.metadata.deletionGracePeriodSeconds ?? 0);
  const { behaviour } = behaviourFor(pod, deps);
  const stoppedMs = askedMs + (behaviour.stopMs ?? deps.stopMs);
  const waitMs = Math.min(endMs, stoppedMs) - now;
  if (waitMs > 0) {
    recordEvents(pod, killEvents(pod), deps);
    return requeueAfter(waitMs, "containers are stopping");
  }
  if (!isPodTerminal(pod)) {
    await reportStatus(pod, lastStatus(pod, behaviour, now, stoppedMs > endMs, lostBefore), node, deps, signal);
    return done; // the pod's next event deletes it
  }
  const { namespace, name, uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  try {
    await deps.client.resource(Pods).delete({ namespace, name, options }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return done;
}

async function reportStatus(
  pod: Stored<Pod>,
  status: PodStatus,
  node: SimulatedNode,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const ip = pod.spec?.hostNetwork === true ? (pod.status?.podIP ?? node.address) : node.addresses.give(uid);
  const addresses = { hostIP: node.address, ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }) };
  // A merge patch keeps fields that it does not name: a null removes the reason of an earlier condition.
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }));
  const patch = { metadata: { uid }, status: { ...status, ...(conditions && { conditions }), ...addresses } };
  try {
    await deps.client
      .resource(Pods)
      .patch({ namespace, name, type: "strategic", patch, subresource: "status" }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
