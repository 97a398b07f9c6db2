// Whether a pod's node selector and required node affinity allow a node.
// Upstream: k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go

import type {
  Node,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
} from "#api/generated/types/core-v1.ts";
import { parseInt64 } from "#api/go-text.ts";

/** An invalid term matches no node. */
export function allowsNode(
  { nodeSelector = {}, affinity }: Pick<PodSpec, "nodeSelector" | "affinity">,
  node: Node,
): boolean {
  const labels = node.metadata?.labels ?? {};
  if (!Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}

export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** All expressions and fields must match. An empty term matches nothing. */
function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, { metadata }: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  const labels = metadata?.labels ?? {};
  const fields: Readonly<Record<string, string>> = { "metadata.name": metadata?.name ?? "" };
  return (
    matchExpressions.every((requirement) => matchesLabels(requirement, labels)) &&
    matchFields.every((requirement) => matchesField(requirement, fields))
  );
}

function matchesLabels(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return values.length > 0 && (value === undefined || !values.includes(value));
    case "Exists":
      return values.length === 0 && value !== undefined;
    case "DoesNotExist":
      return values.length === 0 && value === undefined;
    case "Gt":
    case "Lt":
      return value !== undefined && values.length === 1 && isBeyond(value, values[0] ?? "", operator);
    default:
      return false;
  }
}

function isBeyond(value: string, limit: string, operator: "Gt" | "Lt"): boolean {
  const [left, right] = [parseInt64(value), parseInt64(limit)];
  if (!("value" in left && "value" in right)) return false;
  return operator === "Gt" ? left.value > right.value : left.value < right.value;
}

/** Fields are compared with a single value. */
function matchesField(
  { key, operator, values = [] }: NodeSelectorRequirement,
  fields: Readonly<Record<string, string>>,
): boolean {
  if (values.length !== 1) return false;
  const isEqual = (fields[key] ?? "") === values[0];
  if (operator === "In") return isEqual;
  return operator === "NotIn" && !isEqual;
}
