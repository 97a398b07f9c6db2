// Steps with nodes, for scenarios of several controllers: the actions of users, kubelets and the scheduler.

import { Leases } from "#api/generated/resources/coordination-v1.ts";
import { Events, Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import type { NodeCondition, NodeSpec, PodSpec, Taint } from "#api/generated/types/core-v1.ts";
import type { ObjectOf } from "#api/resource.ts";
import { formatMicroTime, formatTime } from "#api/time.ts";
import { barePod, bind, podSpec, setPodStatus } from "./pods.ts";
import type { Excuse, ScenarioText } from "./scenario.ts";
import type { Stage } from "./stage.ts";

export type StoredNode = ObjectOf<typeof Nodes>;

export interface NodeText {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: NodeSpec;
  /** Whether the kubelet has reported the node as ready. */
  readonly isReady?: boolean;
}

/** Registers a node and waits until node-lifecycle has seen it. The node's name is stage.name(base). */
export async function createNode(stage: Stage, base: string, node: NodeText = {}): Promise<string> {
  const name = stage.name(base);
  const { labels = {}, spec = {}, isReady = false } = node;
  await stage.of(Nodes).create({ metadata: { name, labels }, spec });
  if (isReady) await postStatus(stage, name, "True");
  await untilRegistered(stage, name);
  // The server taints every new node.
  await stage.of(Nodes).until(name, (stored) => !taintsOf(stored).includes("not-ready:NoSchedule"));
  return name;
}

/** The controller sends the event when it first sees the node. A manager that dies may lose it. */
async function untilRegistered(stage: Stage, name: string): Promise<void> {
  await stage.standIn("node-lifecycle-controller", async () => {
    await stage.of(Nodes).patch(name, { spec: { taints: null } });
  });
  if (!stage.runs("node-lifecycle-controller")) return;
  await stage.calm(async () => {
    const isAbout = ({ reason, involvedObject }: ObjectOf<typeof Events>): boolean =>
      reason === "RegisteredNode" && involvedObject.name === name;
    await stage.until(`the Event RegisteredNode of ${name}`, async () =>
      (await stage.of(Events, "default").list()).some(isAbout),
    );
  });
}

/** Acts as a kubelet: posts a Ready condition with a heartbeat, and other conditions, False unless given. */
export async function postStatus(
  stage: Stage,
  name: string,
  ready: "True" | "False" | "Unknown",
  others: Readonly<Record<string, string>> = {},
): Promise<void> {
  const now = formatTime(stage.now());
  const condition = (type: string, status: string): NodeCondition => ({
    type,
    status,
    reason: "Posted",
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  });
  const conditions = [
    condition("Ready", ready),
    ...["MemoryPressure", "DiskPressure", "PIDPressure"].map((type) => condition(type, others[type] ?? "False")),
    ...Object.entries(others)
      .filter(([type]) => type === "NetworkUnavailable")
      .map(([type, status]) => condition(type, status)),
  ];
  await stage.of(Nodes).patch(name, { status: { conditions } }, { subresource: "status" });
}

/** Acts as a kubelet, which does this every 10 seconds. */
export async function renewLease(stage: Stage, node: string): Promise<void> {
  const leases = stage.of(Leases, "kube-node-lease");
  const spec = { holderIdentity: node, leaseDurationSeconds: 40, renewTime: formatMicroTime(stage.now()) };
  if ((await leases.find(node)) === undefined) await leases.create({ metadata: { name: node }, spec });
  else await leases.patch(node, { spec: { renewTime: spec.renewTime } });
}

/** Adds taints and keeps those that controllers have set. */
export async function taint(stage: Stage, node: string, ...taints: readonly Taint[]): Promise<void> {
  await stage.of(Nodes).update(node, (object) => ({
    ...object,
    spec: { ...object.spec, taints: [...(object.spec?.taints ?? []), ...taints] },
  }));
}

export async function untaint(stage: Stage, node: string, key: string): Promise<void> {
  await stage.of(Nodes).update(node, (object) => ({
    ...object,
    spec: { ...object.spec, taints: (object.spec?.taints ?? []).filter((taint) => taint.key !== key) },
  }));
}

/** The taints of the node without the prefix of Kubernetes: "not-ready:NoExecute". */
export function taintsOf({ spec }: StoredNode): readonly string[] {
  const text = ({ key, effect }: Taint): string => `${key.replace("node.kubernetes.io/", "")}:${effect}`;
  return (spec?.taints ?? []).map(text).sort();
}

/** Creates a pod that runs on the node and is ready. */
export async function runPod(stage: Stage, name: string, node: string, spec: Partial<PodSpec> = {}): Promise<void> {
  await stage.of(Pods).create({ ...barePod(name), spec: { ...podSpec, ...spec } });
  await bind(stage, name, node);
  const now = formatTime(stage.now());
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: now }];
  await setPodStatus(stage, name, { phase: "Running", conditions });
}

/** Two loops set the NoSchedule taints and the NoExecute taints of a node at the same time. */
export const TAINT_ORDER: Excuse = {
  where: /node-controller: nodes \S+ › \d+\.body\.spec\.taints/,
  reason: "node_lifecycle_controller.go, Run: which loop patches first is chance, and each patch has the whole list",
};

/** For plays that wait for NoExecute taints. */
export const TAINTED_AGAIN: Excuse = {
  where: /node-controller: nodes \S+ › \d+$/,
  reason:
    "node_lifecycle_controller.go, markNodeForTainting: a look that comes before the cache has the taint taints again",
};

const NODE_READS: Excuse = {
  where: /reads of phase \d+ › get \/api\/v1\/nodes\//,
  reason:
    "node_lifecycle_controller.go, doNoScheduleTaintingPass: a change that is seen before the own patch is read again",
};

/**
 * Deletes the nodes at the end of each play. Otherwise their heartbeats would stop, in an order that depends on the
 * faults.
 */
export function withLeavingNodes(texts: readonly ScenarioText[]): readonly ScenarioText[] {
  return texts.map((text) => ({
    ...text,
    chance: [NODE_READS, ...(text.chance ?? [])],
    async play(stage) {
      await text.play(stage);
      await stage.settle();
      const nodes = await stage.of(Nodes).list();
      for (const { metadata } of nodes) {
        if (metadata.name.endsWith(stage.namespace)) await stage.of(Nodes).delete(metadata.name);
      }
      // Until the next look, which sends the event.
      await stage.pass(1500);
    },
  }));
}
