// The rules of a stages file: how the pods and nodes behave that they select. The first rule that matches counts. What a
// pod's own annotations say comes before its rule.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import type { Outage } from "./outages.ts";

export interface PodRule {
  /** Absent: all. */
  readonly namespace?: string;
  readonly selector: Selector;
  /** As those of a pod. */
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

export const noStages: Stages = { pods: [], nodes: [] };

type Labels = Readonly<Record<string, string>>;

/** The pod with the annotations of its rule beside its own. */
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
