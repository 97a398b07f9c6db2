// Taints that follow a node's conditions. Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go,
// doNoScheduleTaintingPass; pkg/util/taints.

import type { Node, NodeCondition, Taint } from "#api/generated/types/core-v1.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

export const notReadyTaint: Taint = { key: NOT_READY, effect: "NoExecute" };
export const unreachableTaint: Taint = { key: UNREACHABLE, effect: "NoExecute" };

/** Taint keys by the type and the status of a condition, which are any text. */
const CONDITION_TAINTS: ReadonlyMap<string, string> = new Map([
  ["Ready=False", NOT_READY],
  ["Ready=Unknown", UNREACHABLE],
  ["MemoryPressure=True", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure=True", "node.kubernetes.io/disk-pressure"],
  ["NetworkUnavailable=True", "node.kubernetes.io/network-unavailable"],
  ["PIDPressure=True", "node.kubernetes.io/pid-pressure"],
]);

const OWN_KEYS: ReadonlySet<string> = new Set([UNSCHEDULABLE, ...CONDITION_TAINTS.values()]);

export interface TaintChange {
  readonly add: readonly Taint[];
  readonly remove: readonly Taint[];
}

/** The NoSchedule taints to add and remove, from conditions and spec.unschedulable. Taints with other keys stay. */
export function noScheduleChange({ spec, status }: Node): TaintChange {
  const wanted: Taint[] = [];
  const want = (key: string): void => void wanted.push({ key, effect: "NoSchedule" });
  for (const { type, status: value } of status?.conditions ?? []) {
    const key = CONDITION_TAINTS.get(`${type}=${value}`);
    if (key !== undefined) want(key);
  }
  if (spec?.unschedulable === true) want(UNSCHEDULABLE);
  const present = (spec?.taints ?? []).filter(({ key, effect }) => effect === "NoSchedule" && OWN_KEYS.has(key));
  return {
    add: wanted.filter((taint) => !hasTaint(present, taint)),
    remove: present.filter((taint) => !hasTaint(wanted, taint)),
  };
}

/** The NoExecute taint of a node that is not ready, and the one that it replaces; undefined for a ready node. */
export function noExecuteChange({
  status,
}: NodeCondition): { readonly add: Taint; readonly remove: Taint } | undefined {
  if (status === "False") return { add: notReadyTaint, remove: unreachableTaint };
  return status === "Unknown" ? { add: unreachableTaint, remove: notReadyTaint } : undefined;
}

export function hasTaint(taints: readonly Taint[] = [], { key, effect }: Taint): boolean {
  return taints.some((taint) => taint.key === key && taint.effect === effect);
}

/**
 * The list with these taints: a taint with the same key and effect is replaced in its place, because its time differs.
 */
export function withTaints(taints: readonly Taint[], added: readonly Taint[]): readonly Taint[] {
  let list = taints;
  for (const taint of added) {
    const index = list.findIndex(({ key, effect }) => key === taint.key && effect === taint.effect);
    list = index < 0 ? [...list, taint] : list.with(index, taint);
  }
  return list;
}

/** The list without these taints; the same list if it has none of them. */
export function withoutTaints(taints: readonly Taint[], removed: readonly Taint[]): readonly Taint[] {
  const kept = taints.filter((taint) => !hasTaint(removed, taint));
  return kept.length === taints.length ? taints : kept;
}
