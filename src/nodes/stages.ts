// The rules of a stages file: the behaviour of the pods and nodes that they select. The first matching rule applies. A
// pod's own annotations take precedence over its rule.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { BehaviourField } from "./behaviour.ts";
import type { Outage } from "./outages.ts";

export interface PodRule {
  /** Absent: all. */
  readonly namespace?: string;
  readonly selector: Selector;
  /** Like the annotations of a pod. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface NodeRule {
  /** Absent: all. */
  readonly name?: string;
  readonly selector: Selector;
  readonly outages: readonly Outage[];
}

export interface Stages {
  readonly pods: readonly PodRule[];
  readonly nodes: readonly NodeRule[];
}

/** Stages in the form that users write, in YAML or as an object. Numbers and booleans need no quotes. */
export interface StagesSpec {
  readonly pods?: readonly PodStage[];
  readonly nodes?: readonly NodeStage[];
}

/** The behaviour of pods, in the form of their annotations. */
export type PodStage = {
  /** Absent: all. */
  readonly namespace?: string;
  /** Like that of `kubectl -l`; absent: all. */
  readonly selector?: string;
} & { readonly [field in BehaviourField]?: string | number | boolean };

/** Outages of nodes: times such as "90s", counted from the start of the cluster. */
export interface NodeStage {
  /** Absent: all. */
  readonly name?: string;
  readonly selector?: string;
  /** The node fails, and its containers end. */
  readonly "fails-at"?: string;
  readonly "returns-at"?: string;
  /** The node is partitioned, and its containers continue to run. */
  readonly "partitioned-at"?: string;
  readonly "heals-at"?: string;
}

export const noStages: Stages = { pods: [], nodes: [] };

type Labels = Readonly<Record<string, string>>;

/** The pod with the annotations of its rule added to its own. */
export function ruledPod<T extends Pod>(pod: T, { pods }: Stages): T {
  const { namespace, labels = {}, annotations } = pod.metadata ?? {};
  const rule = pods.find(
    (rule) => (rule.namespace === undefined || rule.namespace === namespace) && rule.selector.matches(labels),
  );
  if (rule === undefined) return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...rule.annotations, ...annotations } } };
}

export function outagesOf(node: string, labels: Labels, { nodes }: Stages): readonly Outage[] {
  const rule = nodes.find(({ name, selector }) => (name === undefined || name === node) && selector.matches(labels));
  return rule?.outages ?? [];
}
