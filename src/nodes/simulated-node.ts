/**
 * A node without a machine: registers itself, keeps its lease fresh, and lets the pods bound to it run.
 *
 * Keeps true:  its Node object exists and is Ready; a pod bound to it turns Running and ready; a pod asked
 *              to go is gone.
 * Watches:     Pod (spec.nodeName).
 * Writes:      create of Node and Lease; patch of nodes, nodes/status and pods/status; update of Lease; delete of Pod.
 * Requeues:    while containers are starting, and for a deleted pod until its grace period allows the end.
 */

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { ContainerStatus, Node, NodeStatus, Pod, PodStatus, Taint } from "#api/generated/types/core-v1.ts";
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
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import { PodAddresses } from "./pod-addresses.ts";

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
  /** Where no node lifecycle controller runs, the node itself takes away the taint that it was created with. */
  readonly untaintsItself: boolean;
}

interface Deps extends SimulatedNodeOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Client;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly addresses: PodAddresses;
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
  if (isPodTerminal(pod) || pod.status?.phase === "Running") return done;
  const boundMs = timeOrUndefined(
    pod.status?.conditions?.find(({ type }) => type === "PodScheduled")?.lastTransitionTime,
  );
  const waitMs = (boundMs ?? now) + deps.startMs - now;
  if (waitMs > 0) return requeueAfter(waitMs, "containers are starting");
  await reportRunning(pod, now, deps, signal);
  return done;
}

/** deletionTimestamp is when the grace period ends; the node may be done earlier. */
async function endPod(pod: Stored<Pod>, now: EpochMs, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const endMs = timeOrUndefined(pod.metadata.deletionTimestamp) ?? now;
  const askedMs = endMs - wrappedSecondsMs(pod.metadata.deletionGracePeriodSeconds ?? 0);
  const waitMs = Math.min(endMs, askedMs + deps.stopMs) - now;
  if (waitMs > 0) return requeueAfter(waitMs, "containers are stopping");
  const { namespace, name, uid } = pod.metadata;
  const options = { gracePeriodSeconds: 0, preconditions: { uid } };
  try {
    await deps.client.resource(Pods).delete({ namespace, name, options }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
  return done;
}

async function reportRunning(pod: Stored<Pod>, now: EpochMs, deps: Deps, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const patch = { metadata: { uid }, status: runningStatus(pod, now, deps) };
  try {
    await deps.client
      .resource(Pods)
      .patch({ namespace, name, type: "strategic", patch, subresource: "status" }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

function runningStatus(pod: Stored<Pod>, now: EpochMs, deps: Deps): PodStatus {
  const time = formatTime(now);
  const ip = deps.addresses.give(pod.metadata.uid);
  const condition = (type: string) => ({ type, status: "True", lastTransitionTime: time });
  return {
    phase: "Running",
    hostIP: addressOf(deps),
    ...(ip === undefined ? {} : { podIP: ip, podIPs: [{ ip }] }),
    startTime: time,
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"].map(condition),
    containerStatuses: (pod.spec?.containers ?? []).map(
      ({ name, image = "", resources = {} }): ContainerStatus => ({
        name,
        image,
        // Without them the node is taken for one that cannot resize.
        resources,
        imageID: `simulated://${image}`,
        containerID: `simulated://${pod.metadata.uid}/${name}`,
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: time } },
      }),
    ),
  };
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
    node = await nodes.patch({ name: deps.name, type: "strategic", patch, subresource: "status" }, signal);
  }
  const taints = node.spec?.taints ?? [];
  if (!deps.untaintsItself || !taints.some(isNotReady)) return;
  const { resourceVersion } = node.metadata;
  const spec = { taints: taints.filter((taint) => !isNotReady(taint)) };
  await nodes.patch({ name: deps.name, type: "merge", patch: { metadata: { resourceVersion }, spec } }, signal);
}

function isNotReady({ key, effect }: Taint): boolean {
  return key === "node.kubernetes.io/not-ready" && effect === "NoSchedule";
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
