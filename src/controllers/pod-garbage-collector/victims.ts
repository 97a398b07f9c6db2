// Which pods to delete, without the API. Upstream: pkg/controller/podgc/gc_controller.go.

import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import { timeOrUndefined } from "#api/time.ts";
import { compareText } from "#kit/order.ts";

const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
const LIVE_PHASES: ReadonlySet<string> = new Set(["Pending", "Running", "Unknown"]);

/** The terminated pods beyond the limit: evicted ones first, then the oldest. */
export function surplusTerminated(pods: readonly Stored<Pod>[], max: number): readonly Stored<Pod>[] {
  // A pod without a phase counts as terminated.
  const terminated = pods.filter(({ status }) => !LIVE_PHASES.has(status?.phase ?? ""));
  const surplus = terminated.length - max;
  return surplus > 0 ? terminated.toSorted(evictedThenOldest).slice(0, surplus) : [];
}

/** No kubelet will end the pods there: the node is not ready, and an administrator tainted it out-of-service. */
export function isOutOfService({ status, spec }: Node): boolean {
  const isReady = status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return !isReady && (spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE) ?? false);
}

export function isUnscheduledTerminating({ metadata, spec }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined && (spec?.nodeName ?? "") === "";
}

/** Evicted pods are deleted first, so that pods that controllers count stay as long as possible. */
export function evictedThenOldest(a: Stored<Pod>, b: Stored<Pod>): number {
  return (
    Number(isEvicted(b)) - Number(isEvicted(a)) ||
    createdMs(a) - createdMs(b) ||
    compareText(a.metadata.name, b.metadata.name) ||
    compareText(a.metadata.namespace, b.metadata.namespace)
  );
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted";
}

function createdMs({ metadata }: Stored<Pod>): number {
  return timeOrUndefined(metadata.creationTimestamp) ?? 0;
}
