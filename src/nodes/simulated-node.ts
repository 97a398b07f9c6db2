/**
 * A node without a machine: registers itself, keeps its lease fresh, and lets the pods bound to it run.
 *
 * Keeps true:  its Node object exists and is Ready; a pod bound to it goes through the states that its behaviour asks
 *              for; a pod asked to go is gone.
 * Watches:     Pod (spec.nodeName).
 * Writes:      create of Node and Lease; patch of nodes, nodes/status and pods/status; update of Lease; delete of Pod; events.
 * Requeues:    while containers are starting, and for a deleted pod until its grace period allows the end.
 */

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Node, NodeStatus, Pod, PodStatus } from "#api/generated/types/core-v1.ts";
import { wrappedSecondsMs } from "#api/int64.ts";
import type { Draft, Stored, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#api/status-error.ts";
import { formatMicroTime, formatTime, timeOrUndefined } from "#api/time.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Client } from "#client/client.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { ControllerParts } from "#kit/controller-parts.ts";
import { type EventRecorder, referenceTo } from "#kit/events/recorder.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { BadBehaviour, type Behaviour, behaviourOf } from "./behaviour.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { killEvents, type NodeEvent, nextStep } from "./pod-lifecycle.ts";

export const LEASE_NAMESPACE = "kube-node-lease";
/** What tells these nodes from others. */
export const SIMULATED_OS_IMAGE = "Steersman simulated node";
const LEASE_SECONDS = 40;
const HEARTBEAT_MS = 10_000;

export interface SimulatedNodeOptions {
  readonly name: string;
  /** Its pods' addresses are 10.<244 + subnet>.x.y. */
  readonly subnet: number;
  /** From being bound to running. */
  readonly startMs: number;
  /** From being asked to go to being gone; never longer than the pod's grace period. */
  readonly stopMs: number;
}

interface Deps extends SimulatedNodeOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Client;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly addresses: PodAddresses;
  readonly recorder: EventRecorder;
}

export async function buildSimulatedNode(
  context: ControllerContext,
  options: SimulatedNodeOptions,
): Promise<Controller> {
  const identity = `system:node:${options.name}`;
  const parts = await ControllerParts.under(identity, context);
  const pods = parts.informer(Pods);
  const deps: Deps = {
    ...options,
    clock: context.clock,
    log: parts.log,
    client: parts.client,
    pods,
    addresses: new PodAddresses(options.subnet),
    recorder: parts.recorder("kubelet"),
  };
  const queue = parts.queue({ name: identity });
  const isOwn = (pod: Pod): boolean => pod.spec?.nodeName === options.name;
  parts.enqueue(pods, queue, { on: ["add", "update"], when: isOwn });
  parts.handle(pods, {
    onAdd: (pod) => {
      const { podIP } = pod.status ?? {};
      if (podIP !== undefined && isOwn(pod)) deps.addresses.keep(pod.metadata.uid, podIP);
    },
    onDelete: (pod) => deps.addresses.free(pod.metadata.uid),
  });
  parts.work({ queue, workers: 8, sync: (key, signal) => syncPod(key, deps, signal) });
  parts.fromStart((signal) => keepRegistered(deps, signal));
  return parts.controller();
}

async function syncPod(key: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined || pod.spec?.nodeName !== deps.name) return done;
  const now = deps.clock.now();
  if (pod.metadata.deletionTimestamp !== undefined) return endPod(pod, now, deps, signal);
  const step = nextStep(pod, behaviourFor(pod, deps), now);
  if (step.kind === "rest") return done;
  if (step.kind === "wait") return requeueAfter(step.forMs, step.reason);
  await reportStatus(pod, step.status, deps, signal);
  tell(pod, step.events, deps);
  return done; // the pod's next event brings the next step
}

/** A pod whose annotations cannot be obeyed is told so, and behaves like one without any. */
function behaviourFor(pod: Stored<Pod>, deps: Deps): Behaviour {
  try {
    return behaviourOf(pod, deps.startMs);
  } catch (error) {
    if (!(error instanceof BadBehaviour)) throw error;
    if (pod.status?.containerStatuses === undefined) {
      tell(pod, [{ type: "Warning", reason: "InvalidSimulation", message: error.message }], deps);
    }
    const { annotations: _, ...metadata } = pod.metadata;
    return behaviourOf({ ...pod, metadata }, deps.startMs);
  }
}

function tell(pod: Stored<Pod>, events: readonly NodeEvent[], { recorder }: Deps): void {
  const about = referenceTo(pod, Pods);
  for (const { type, reason, message } of events) recorder.event(about, type, reason, message);
}

/** deletionTimestamp is when the grace period ends; the node may be done earlier. */
async function endPod(pod: Stored<Pod>, now: EpochMs, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const endMs = timeOrUndefined(pod.metadata.deletionTimestamp) ?? now;
  const askedMs = endMs - wrappedSecondsMs(pod.metadata.deletionGracePeriodSeconds ?? 0);
  const waitMs = Math.min(endMs, askedMs + deps.stopMs) - now;
  if (waitMs > 0) {
    tell(pod, killEvents(pod), deps);
    return requeueAfter(waitMs, "containers are stopping");
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

async function reportStatus(pod: Stored<Pod>, status: PodStatus, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const ip = deps.addresses.give(uid);
  const addresses = { hostIP: addressOf(deps), ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }) };
  const patch = { metadata: { uid }, status: { ...status, ...addresses } };
  try {
    await deps.client
      .resource(Pods)
      .patch({ namespace, name, type: "strategic", patch, subresource: "status" }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** Outside of the pods' addresses and of the services', which are 10.0.0.0/24 by default. */
function addressOf({ subnet }: Deps): string {
  return `192.168.0.${subnet + 10}`;
}

/** A node whose registration fails keeps trying: the server may be away for a while. */
async function keepRegistered(deps: Deps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await registerNode(deps, signal);
      await renewLease(deps, signal);
    } catch (error) {
      if (isAborted(error, signal)) return;
      deps.log.error(error, "node heartbeat failed, will retry", { node: deps.name });
    }
    try {
      await deps.clock.sleep(HEARTBEAT_MS, signal);
    } catch (error) {
      if (isAborted(error, signal)) return;
      throw error;
    }
  }
}

async function registerNode(deps: Deps, signal: AbortSignal): Promise<void> {
  const nodes = deps.client.resource(Nodes);
  let node: StoredCluster<Node>;
  try {
    node = await nodes.get({ name: deps.name }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    node = await nodes.create({ object: newNode(deps.name) }, signal);
  }
  const isReady = node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  if (!isReady) {
    const patch = { status: readyStatus(deps.clock.now(), deps) };
    await nodes.patch({ name: deps.name, type: "strategic", patch, subresource: "status" }, signal);
  }
}

function newNode(name: string): Draft<StoredCluster<Node>> {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
  return { metadata: { name, labels } };
}

function readyStatus(now: EpochMs, deps: Deps): NodeStatus {
  const time = formatTime(now);
  const condition = (type: string, status: string, reason: string) => ({
    type,
    status,
    reason,
    message: "simulated",
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  const resources = { cpu: "16", memory: "64Gi", "ephemeral-storage": "100Gi", pods: "110" };
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: "InternalIP", address: addressOf(deps) },
      { type: "Hostname", address: deps.name },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID"),
      condition("Ready", "True", "KubeletReady"),
    ],
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: "simulated://1",
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.4",
      machineID: "",
      operatingSystem: "linux",
      osImage: SIMULATED_OS_IMAGE,
      systemUUID: "",
    },
  };
}

async function renewLease(deps: Deps, signal: AbortSignal): Promise<void> {
  const leases = deps.client.resource(Leases);
  const spec = {
    holderIdentity: deps.name,
    leaseDurationSeconds: LEASE_SECONDS,
    renewTime: formatMicroTime(deps.clock.now()),
  };
  const address = { namespace: LEASE_NAMESPACE, name: deps.name };
  try {
    await leases.patch({ ...address, type: "merge", patch: { spec } }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    try {
      await leases.create({ object: { metadata: address, spec } }, signal);
    } catch (conflict) {
      if (!isAlreadyExists(conflict)) throw conflict;
    }
  }
}
