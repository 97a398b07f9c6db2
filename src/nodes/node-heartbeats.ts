// A simulated node's Node object and Lease: registered once, kept Ready, renewed.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import type { Node, NodeStatus } from "#api/generated/types/core-v1.ts";
import type { Draft, StoredCluster } from "#api/resource.ts";
import { isAlreadyExists, isNotFound } from "#api/status-error.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import type { Clock, EpochMs } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Client } from "#client/client.ts";

export const LEASE_NAMESPACE = "kube-node-lease";
/** Distinguishes simulated nodes from others. */
export const SIMULATED_OS_IMAGE = "Steersman simulated node";
const LEASE_SECONDS = 40;
const HEARTBEAT_MS = 10_000;

export interface HeartbeatDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly client: Client;
  /** The cached Node object. */
  cachedNode(name: string): StoredCluster<Node> | undefined;
  /** True if the node is down and sends no heartbeats. */
  isAway(name: string): boolean;
  /** The node is Ready for the first time. */
  onRegistered(name: string): void;
}

export interface NodeIdentity {
  readonly name: string;
  readonly address: string;
}

/** A failed registration is retried, because the server may be unreachable for a while. */
export async function keepRegistered(node: NodeIdentity, deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  let isRegistered = false;
  while (!signal.aborted) {
    try {
      // A node that is down from the start still registers first, so that the cluster is complete.
      if (!isRegistered || !deps.isAway(node.name)) {
        if (!isReady(deps.cachedNode(node.name))) await registerNode(node, deps, signal);
        await renewLease(node, deps, signal);
      }
      if (!isRegistered) deps.onRegistered(node.name);
      isRegistered = true;
    } catch (error) {
      if (isAborted(error, signal)) return;
      deps.log.error(error, "node heartbeat failed, will retry", { node: node.name });
    }
    try {
      await deps.clock.sleep(HEARTBEAT_MS, signal);
    } catch (error) {
      if (isAborted(error, signal)) return;
      throw error;
    }
  }
}

async function registerNode({ name, address }: NodeIdentity, deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const nodes = deps.client.resource(Nodes);
  let node: StoredCluster<Node>;
  try {
    node = await nodes.get({ name }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    node = await nodes.create({ object: newNode(name) }, signal);
  }
  if (isReady(node)) return;
  const patch = { status: readyStatus(deps.clock.now(), name, address) };
  await nodes.patch({ name, type: "strategic", patch, subresource: "status" }, signal);
}

function isReady(node: StoredCluster<Node> | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}

function newNode(name: string): Draft<StoredCluster<Node>> {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
  return { metadata: { name, labels } };
}

function readyStatus(now: EpochMs, name: string, address: string): NodeStatus {
  const time = formatTime(now);
  const condition = (type: string, status: string, reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  });
  const resources = { cpu: "16", memory: "64Gi", "ephemeral-storage": "100Gi", pods: "110" };
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: "InternalIP", address },
      { type: "Hostname", address: name },
    ],
    conditions: [
      condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
      condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
      condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
      condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
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

async function renewLease({ name }: NodeIdentity, deps: HeartbeatDeps, signal: AbortSignal): Promise<void> {
  const leases = deps.client.resource(Leases);
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: LEASE_SECONDS,
    renewTime: formatMicroTime(deps.clock.now()),
  };
  const address = { namespace: LEASE_NAMESPACE, name };
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
