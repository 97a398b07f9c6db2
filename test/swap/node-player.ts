// Acts as the scheduler and the kubelets of the cluster: binds each pod to the suitable node with the fewest pods, runs
// it, ends pods of Jobs after a moment, removes deleted pods, and renews the leases of the nodes. A node can fail: then
// its lease is no longer renewed, and its pods do not change.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { isConflict, isNotFound } from "#api/status-error.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import { noLog } from "#base/log.ts";
import { seededRng } from "#base/seeded-rng.ts";
import type { Client } from "#client/client.ts";
import { createInformerFactory } from "#informers/factory.ts";
import { systemClock } from "#platform/system/system-clock.ts";

const GENERAL = 6;
export const FRAIL_NODES: readonly string[] = ["frail-0", "frail-1"];
const nodes: readonly { readonly name: string; readonly pool: string }[] = [
  ...Array.from({ length: GENERAL }, (_, index) => ({ name: `node-${index}`, pool: "general" })),
  ...FRAIL_NODES.map((name) => ({ name, pool: "frail" })),
];
const HEARTBEAT_MS = 3000;
const LEASE_NAMESPACE = "kube-node-lease";
/** How long a kubelet takes for each step of a pod's life. */
const STEP_MS = 150;
const RETRY_MS = 500;

type StoredPod = Stored<Pod>;

/** The history of the pods of the cluster, by UID, with the label under which a comparison counts each pod. */
export interface PodHistory {
  readonly born: ReadonlyMap<string, string>;
  readonly died: ReadonlyMap<string, string>;
}

export interface NodePlayer {
  /** Resolves when all nodes are registered. */
  readonly pods: () => readonly StoredPod[];
  /** Since the last call. */
  takeHistory(): PodHistory;
  fail(node: string): void;
  revive(node: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startNodePlayer(client: Client, labelOf: (pod: StoredPod) => string): Promise<NodePlayer> {
  const ended = new AbortController();
  const { signal } = ended;
  const failed = new Set<string>();
  const factory = createInformerFactory({ client, clock: systemClock, rng: seededRng("players"), log: noLog });
  const informer = factory.informer(Pods);
  let born = new Map<string, string>();
  let died = new Map<string, string>();
  const bound = new Map<string, string>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  let addresses = 0;

  const later = (ms: number, work: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, ms);
    timers.add(timer);
  };
  const pending = new Set<string>();
  const look = (pod: StoredPod): void => {
    const { uid } = pod.metadata;
    if (pending.has(uid)) return;
    pending.add(uid);
    later(STEP_MS, () => {
      pending.delete(uid);
      void step(pod.metadata.namespace, pod.metadata.name);
    });
  };
  const step = async (namespace: string, name: string): Promise<void> => {
    const pod = informer.lister.get(`${namespace}/${name}`);
    if (pod === undefined || signal.aborted) return;
    try {
      await act(pod);
    } catch (error) {
      if (signal.aborted || isNotFound(error) || isConflict(error)) return;
      // The API server is away for a moment.
      later(RETRY_MS, () => look(pod));
    }
  };
  const act = async (pod: StoredPod): Promise<void> => {
    const { namespace, name, uid } = pod.metadata;
    const node = pod.spec?.nodeName ?? "";
    const pods = client.resource(Pods);
    if (node === "") {
      if (pod.metadata.deletionTimestamp === undefined) await bind(pod);
      return;
    }
    if (failed.has(node)) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      return await pods.delete({ namespace, name, options: { gracePeriodSeconds: 0, preconditions: { uid } } }, signal);
    }
    const status = nextStatus(pod, () => `10.244.${(++addresses >> 8) & 255}.${addresses & 255}`);
    if (status === undefined) return;
    const patch = { metadata: { uid }, status };
    await pods.patch({ namespace, name, type: "strategic", patch, subresource: "status" }, signal);
  };
  const bind = async (pod: StoredPod): Promise<void> => {
    const { namespace, name, uid } = pod.metadata;
    if ((pod.spec?.resourceClaims ?? []).length > 0) return;
    const loadOf = (node: string): number => [...bound.values()].filter((at) => at === node).length;
    const wanted = pod.spec?.nodeSelector?.pool ?? "general";
    const affine = requiredNode(pod);
    const [node] = nodes
      .filter((candidate) => !failed.has(candidate.name))
      .filter((candidate) => (affine === undefined ? candidate.pool === wanted : candidate.name === affine))
      .toSorted((a, b) => loadOf(a.name) - loadOf(b.name));
    if (node === undefined) return look(pod);
    bound.set(uid, node.name);
    const target = { apiVersion: "v1", kind: "Node", name: node.name };
    const object = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target };
    await client.resource(Pods).createSubresource({ namespace, name, subresource: "binding", object }, signal);
  };

  informer.addHandler({
    onAdd(pod) {
      born.set(pod.metadata.uid, labelOf(pod));
      look(pod);
    },
    onUpdate: (_, pod) => look(pod),
    onDelete(pod) {
      died.set(pod.metadata.uid, labelOf(pod));
      bound.delete(pod.metadata.uid);
    },
  });
  for (const { name, pool } of nodes) await register(client, name, pool, signal);
  const registered = factory.informer(Nodes);
  const isReady = (name: string): boolean =>
    registered.lister
      .get(name)
      ?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? true;
  const heartbeats = beat(client, { failed, isReady }, signal);
  factory.start();
  await factory.waitForCacheSync(signal);

  return {
    pods: () => informer.lister.list(),
    takeHistory() {
      const taken = { born, died };
      born = new Map();
      died = new Map();
      return taken;
    },
    fail: (node) => void failed.add(node),
    async revive(node) {
      failed.delete(node);
      await reportReady(client, node, signal);
      for (const pod of informer.lister.list()) if (pod.spec?.nodeName === node) look(pod);
    },
    async stop() {
      ended.abort();
      for (const timer of timers) clearTimeout(timer);
      await factory.shutdown();
      await heartbeats;
    },
  };
}

/** The DaemonSet controller names the node of its pods by this affinity. */
function requiredNode({ spec }: Pod): string | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return terms?.[0]?.matchFields?.find(({ key }) => key === "metadata.name")?.values?.[0];
}

/** The next status that a kubelet reports, if any. */
function nextStatus(pod: Pod, address: () => string): Pod["status"] | undefined {
  const { phase, conditions, podIP } = pod.status ?? {};
  if (phase === "Succeeded" || phase === "Failed") return undefined;
  const time = formatTime(systemClock.now());
  const condition = (type: string, status: string) => ({ type, status, lastTransitionTime: time });
  const isReady = conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  if (phase === "Running" && isReady) {
    return pod.spec?.restartPolicy === "Never"
      ? { phase: "Succeeded", conditions: [condition("Ready", "False")] }
      : undefined;
  }
  const ip = podIP ?? address();
  return {
    phase: "Running",
    conditions: [condition("ContainersReady", "True"), condition("Ready", "True")],
    podIP: ip,
    podIPs: [{ ip }],
    startTime: time,
  };
}

async function register(client: Client, name: string, pool: string, signal: AbortSignal): Promise<void> {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", pool };
  await client.resource(Nodes).create({ object: { metadata: { name, labels } } }, signal);
  await reportReady(client, name, signal);
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(systemClock.now()) };
  await client.resource(Leases).create({ object: { metadata: { namespace: LEASE_NAMESPACE, name }, spec } }, signal);
}

async function reportReady(client: Client, name: string, signal: AbortSignal): Promise<void> {
  const time = formatTime(systemClock.now());
  const told = { lastHeartbeatTime: time, lastTransitionTime: time, message: "played" };
  const resources = { cpu: "64", memory: "256Gi", pods: "500" };
  const conditions = [
    { type: "MemoryPressure", status: "False", reason: "KubeletHasSufficientMemory", ...told },
    { type: "DiskPressure", status: "False", reason: "KubeletHasNoDiskPressure", ...told },
    { type: "PIDPressure", status: "False", reason: "KubeletHasSufficientPID", ...told },
    { type: "Ready", status: "True", reason: "KubeletReady", ...told },
  ];
  const patch = { status: { capacity: resources, allocatable: resources, conditions } };
  await client.resource(Nodes).patch({ name, type: "strategic", patch, subresource: "status" }, signal);
}

interface NodeHealth {
  readonly failed: ReadonlySet<string>;
  isReady(name: string): boolean;
}

async function beat(client: Client, { failed, isReady }: NodeHealth, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { name } of nodes) {
      if (failed.has(name)) continue;
      // A node that was marked as not ready reports its status again, as a kubelet does.
      if (!isReady(name)) await reportReady(client, name, signal).catch(() => undefined);
      const patch = { spec: { renewTime: formatMicroTime(systemClock.now()) } };
      const at = { namespace: LEASE_NAMESPACE, name, type: "merge" as const };
      // If the API server does not answer, the next renewal comes soon enough.
      await client
        .resource(Leases)
        .patch({ ...at, patch }, signal)
        .catch(() => undefined);
    }
    await systemClock.sleep(HEARTBEAT_MS, signal).catch(() => undefined);
  }
}
