// When a node last showed a sign of life, and its conditions after a long silence. Times are those at which this
// program saw a change: clocks of nodes are never compared with ours.
// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go, tryUpdateNodeHealth.

import type { Lease } from "#api/generated/types/coordination-v1.ts";
import type { Node, NodeCondition } from "#api/generated/types/core-v1.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";

export interface NodeHealth {
  /** When the node's status or lease was last seen to change. */
  readonly heardAtMs: EpochMs;
  /** The Ready condition when it was last seen to change, or was set here. */
  readonly ready: NodeCondition | undefined;
  readonly lease: Lease | undefined;
}

export interface GracePeriods {
  /** --node-monitor-grace-period. */
  readonly monitorMs: number;
  /** --node-startup-grace-period: for a node without a Ready condition. */
  readonly startupMs: number;
}

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The state of the node after this pass. */
export function observeHealth(
  node: Node,
  saved: NodeHealth | undefined,
  lease: Lease | undefined,
  nowMs: EpochMs,
): NodeHealth {
  const status = observeStatus(node, saved, nowMs);
  // When the status changed, the lease of the previous pass is dropped; the next pass then counts the lease as new.
  return lease !== undefined && (saved?.lease === undefined || isNewer(lease, saved.lease))
    ? { ...status, lease, heardAtMs: nowMs }
    : status;
}

function observeStatus(node: Node, saved: NodeHealth | undefined, nowMs: EpochMs): NodeHealth {
  const ready = conditionOf(node, "Ready");
  if (ready === undefined) {
    if (saved !== undefined) return { ...saved, ready };
    return { heardAtMs: timeOrUndefined(node.metadata?.creationTimestamp) ?? 0, ready, lease: undefined };
  }
  const isNews = saved?.ready === undefined || saved.ready.lastHeartbeatTime !== ready.lastHeartbeatTime;
  return isNews ? { heardAtMs: nowMs, ready, lease: undefined } : saved;
}

function isNewer(lease: Lease, saved: Lease): boolean {
  const [now, before] = [timeOrUndefined(lease.spec?.renewTime), timeOrUndefined(saved.spec?.renewTime)];
  return now !== undefined && before !== undefined && before < now;
}

export function isOverdue(node: Node, { heardAtMs }: NodeHealth, periods: GracePeriods, nowMs: EpochMs): boolean {
  const graceMs = conditionOf(node, "Ready") === undefined ? periods.startupMs : periods.monitorMs;
  return nowMs > heardAtMs + graceMs;
}

/** Without NetworkUnavailable, which the control plane sets. */
const KUBELET_CONDITIONS = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions of a node that has been silent for too long. */
export function unknownConditions(node: Node, nowMs: EpochMs): readonly NodeCondition[] {
  const lastTransitionTime = formatTime(nowMs);
  const present = (node.status?.conditions ?? []).map((condition): NodeCondition => {
    if (!KUBELET_CONDITIONS.includes(condition.type) || condition.status === "Unknown") return condition;
    return {
      ...condition,
      status: "Unknown",
      reason: "NodeStatusUnknown",
      message: "Kubelet stopped posting node status.",
      lastTransitionTime,
    };
  });
  const missing = KUBELET_CONDITIONS.filter((type) => conditionOf(node, type) === undefined);
  const { creationTimestamp } = node.metadata ?? {};
  return [
    ...present,
    ...missing.map(
      (type): NodeCondition => ({
        type,
        status: "Unknown",
        reason: "NodeStatusNeverUpdated",
        message: "Kubelet never posted node status.",
        ...(creationTimestamp ? { lastHeartbeatTime: creationTimestamp } : {}),
        lastTransitionTime,
      }),
    ),
  ];
}
