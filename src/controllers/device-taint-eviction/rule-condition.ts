// The condition EvictionInProgress of a rule, in upstream's words.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, maybeUpdateRuleStatus.

import type { Condition } from "#api/meta.ts";

export const EVICTION_IN_PROGRESS = "EvictionInProgress";

export interface PendingPods {
  readonly pods: number;
  readonly namespaces: number;
}

/** The counts for a rule, by its effect. */
export type RuleCounts =
  | { readonly effect: "NoExecute"; readonly pending: PendingPods }
  | { readonly effect: "None"; readonly pending: PendingPods; readonly published: number; readonly allocated: number }
  | { readonly effect: "other" };

export type RuleFinding = Pick<Condition, "status" | "reason" | "message">;

/** evicted: pods that were evicted for the rule since the start. */
export function ruleFinding(counts: RuleCounts, evicted: number): RuleFinding {
  const { status, reason, message } = findingOf(counts, evicted);
  const since =
    evicted === 0 ? "" : `${evicted === 1 ? "1 pod" : `${evicted} pods`} evicted since starting the controller.`;
  return { status, reason, message: [message, since].filter((part) => part !== "").join(" ") };
}

function findingOf(counts: RuleCounts, evicted: number): RuleFinding {
  switch (counts.effect) {
    case "NoExecute": {
      const { pods, namespaces } = counts.pending;
      if (pods === 0) return { status: "False", reason: evicted > 0 ? "Completed" : "NotStarted", message: "" };
      const needed = pods === 1 ? "1 pod needs" : `${pods} pods need`;
      const message = `${needed} to be evicted in ${countOfNamespaces(namespaces)}.`;
      return { status: "True", reason: "PodsPendingEviction", message };
    }
    case "None": {
      const { published, allocated, pending } = counts;
      const devices = (count: number, kind: string): string =>
        `${count === 1 ? `1 ${kind} device` : `${count} ${kind} devices`} selected.`;
      const pods = `${pending.pods === 1 ? "1 pod" : `${pending.pods} pods`} would be evicted`;
      const message = [
        devices(published, "published"),
        devices(allocated, "allocated"),
        `${pods} in ${countOfNamespaces(pending.namespaces)} if the effect was NoExecute.`,
        "This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.",
      ].join(" ");
      return { status: "False", reason: "NoEffect", message };
    }
    default:
      return {
        status: "False",
        reason: "OtherEffect",
        message: "Eviction only happens for the NoExecute effect.",
      };
  }
}

function countOfNamespaces(count: number): string {
  return count === 1 ? "1 namespace" : `${count} different namespaces`;
}
