// Which nodes the pods of a DaemonSet belong on, and how a pod is bound to its node.
// Upstream: pkg/controller/daemon/daemon_controller.go, NodeShouldRunDaemonPod; util/daemonset_util.go.

import type { Affinity, PodSpec, PodTemplateSpec, Toleration } from "#api/generated/types/core-v1.ts";
import { parseInt64 } from "#api/go-text.ts";
import { allowsNode } from "#rules/node-affinity.ts";
import { tolerates } from "#rules/toleration.ts";
import { type DaemonSet, GENERATION_LABEL, HASH_LABEL, type StoredNode, type StoredPod } from "./model.ts";

const NODE_NAME_FIELD = "metadata.name";
const GENERATION_ANNOTATION = "deprecated.daemonset.template.generation";

export interface Placement {
  /** A pod should be created where there is none. */
  readonly shouldRun: boolean;
  /** An existing pod may stay. */
  readonly mayStay: boolean;
}

/** The resources of the node are not considered. */
export function placementOn(node: StoredNode, set: DaemonSet, comparesTaints: boolean): Placement {
  const spec: PodSpec = set.spec?.template?.spec ?? { containers: [] };
  const { name } = node.metadata;
  if ((spec.nodeName ?? "") !== "" && spec.nodeName !== name) return { shouldRun: false, mayStay: false };
  if (!allowsNode(spec, node)) return { shouldRun: false, mayStay: false };
  const tolerations = daemonTolerations(spec);
  const isRepelledBy = (...effects: readonly string[]): boolean =>
    (node.spec?.taints ?? []).some(
      (taint) =>
        effects.includes(taint.effect) &&
        !tolerations.some((toleration) => tolerates(toleration, taint, comparesTaints)),
    );
  return { shouldRun: !isRepelledBy("NoExecute", "NoSchedule"), mayStay: !isRepelledBy("NoExecute") };
}

/** Adds tolerations, so that problems of a node do not evict its daemons. */
function daemonTolerations(spec: PodSpec): readonly Toleration[] {
  const noExecute = ["not-ready", "unreachable"];
  const noSchedule = ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];
  if (spec.hostNetwork === true) noSchedule.push("network-unavailable");
  const toleration = (effect: string) => (condition: string) => ({
    key: `node.kubernetes.io/${condition}`,
    operator: "Exists",
    effect,
  });
  const added = [...noExecute.map(toleration("NoExecute")), ...noSchedule.map(toleration("NoSchedule"))];
  return added.reduce<readonly Toleration[]>(withToleration, spec.tolerations ?? []);
}

/** Replaces a toleration of the same taints, regardless of its time limit. */
function withToleration(tolerations: readonly Toleration[], added: Toleration): readonly Toleration[] {
  const isSame = ({ key = "", operator = "", value = "", effect = "" }: Toleration): boolean =>
    key === added.key && operator === added.operator && value === "" && effect === added.effect;
  return tolerations.some(isSame)
    ? tolerations.map((toleration) => (isSame(toleration) ? added : toleration))
    : [...tolerations, added];
}

/** The template of the pod for a node: with this revision's hash, and an affinity to that node alone. */
export function templateFor(set: DaemonSet, hash: string, nodeName: string): PodTemplateSpec {
  const template = set.spec?.template ?? {};
  const spec: PodSpec = template.spec ?? { containers: [] };
  const generation = templateGeneration(set);
  const labels = {
    ...template.metadata?.labels,
    ...(generation === undefined ? {} : { [GENERATION_LABEL]: generation }),
    ...(hash === "" ? {} : { [HASH_LABEL]: hash }),
  };
  return {
    ...template,
    metadata: { ...template.metadata, labels },
    spec: { ...spec, tolerations: daemonTolerations(spec), affinity: affinityTo(nodeName, spec.affinity) },
  };
}

function affinityTo(nodeName: string, affinity: Affinity = {}): Affinity {
  const matchFields = [{ key: NODE_NAME_FIELD, operator: "In", values: [nodeName] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return {
    ...affinity,
    nodeAffinity: { ...affinity.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}

/** The node that a pod is on or waits for; undefined if it names none. */
export function targetNode({ spec }: StoredPod): string | undefined {
  if ((spec?.nodeName ?? "") !== "") return spec?.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const field = required?.nodeSelectorTerms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === NODE_NAME_FIELD && operator === "In");
  return field?.values?.length === 1 ? field.values[0] : undefined;
}

/** Whether the pod is at this revision. */
export function isUpdated(set: DaemonSet, { metadata }: StoredPod, hash: string): boolean {
  const generation = templateGeneration(set);
  return (
    (hash !== "" && metadata.labels?.[HASH_LABEL] === hash) ||
    (generation !== undefined && metadata.labels?.[GENERATION_LABEL] === generation)
  );
}

/** The predecessor of revision hashes, which the API server still maintains. */
function templateGeneration({ metadata }: DaemonSet): string | undefined {
  const text = metadata.annotations?.[GENERATION_ANNOTATION];
  const parsed = text === undefined ? undefined : parseInt64(text);
  return parsed !== undefined && "value" in parsed ? String(parsed.value) : undefined;
}
