// The status of one rule: the progress of its evictions, or what it would evict. Written at once for a new spec, and
// then every ten seconds at most.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, maybeUpdateRuleStatus.

import type { Condition } from "#api/meta.ts";
import { formatTime, timeOrUndefined } from "#api/time.ts";
import { errorMessage } from "#base/errors.ts";
import { findCondition } from "#kit/conditions.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import type { Deps } from "./deps.ts";
import { EVICTION_IN_PROGRESS, type PendingPods, type RuleCounts, ruleFinding } from "./rule-condition.ts";
import type { TaintedClaims } from "./tainted-claims.ts";
import { NO_EXECUTE, type Rule } from "./taints.ts";

export const RULE_STATUS_PERIOD_MS = 10_000;

export async function syncRuleStatus(
  ref: { readonly name: string; readonly uid: string },
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  const rule = deps.rules?.lister.get(ref.name);
  if (rule === undefined || rule.metadata.uid !== ref.uid) return done;
  const { name, uid, generation = 0 } = rule.metadata;
  const known = findCondition(rule.status?.conditions ?? [], EVICTION_IN_PROGRESS);
  const now = deps.clock.now();
  // lastTransitionTime is set on each change of the condition.
  const sinceMs = now - (timeOrUndefined(known?.lastTransitionTime) ?? 0);
  if (known !== undefined && known.observedGeneration === generation && sinceMs < RULE_STATUS_PERIOD_MS) {
    return requeueAfter(RULE_STATUS_PERIOD_MS - sinceMs, "the status was written less than ten seconds ago");
  }
  const finding = ruleFinding(countsOf(rule, deps), deps.evictedByRule.get(uid) ?? 0);
  const condition = { type: EVICTION_IN_PROGRESS, ...finding, observedGeneration: generation };
  if (known !== undefined && isSame(known, condition)) return done;
  const conditions = [{ ...condition, lastTransitionTime: formatTime(now) }];
  const object = { metadata: { name, uid }, status: { conditions } };
  try {
    const how = { fieldManager: deps.name, force: true, subresource: "status" };
    await deps.rulesApi.apply({ name, object, ...how }, signal);
  } catch (error) {
    throw new Error(`add condition to DeviceTaintRule status: ${errorMessage(error)}`, { cause: error });
  }
  return done;
}

function isSame(known: Condition, condition: Omit<Condition, "lastTransitionTime">): boolean {
  return (
    known.status === condition.status &&
    known.reason === condition.reason &&
    (known.message ?? "") === condition.message &&
    (known.observedGeneration ?? 0) === condition.observedGeneration
  );
}

function countsOf(rule: Rule, deps: Deps): RuleCounts {
  switch (rule.spec.taint.effect) {
    case NO_EXECUTE:
      return { effect: "NoExecute", pending: pendingPods(rule, deps.tainted, deps) };
    case "None": {
      const pending = pendingPods(rule, deps.tainted.simulate(rule), deps);
      return { effect: "None", pending, ...deps.tainted.devicesOf(rule) };
    }
    default:
      return { effect: "other" };
  }
}

function pendingPods(rule: Rule, tainted: TaintedClaims, { pods }: Deps): PendingPods {
  const pending = pods.lister
    .list()
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((pod) =>
      tainted
        .evictionOf(pod)
        ?.sources.some((source) => source.kind === "rule" && source.rule.metadata.uid === rule.metadata.uid),
    );
  return { pods: pending.length, namespaces: new Set(pending.map(({ metadata }) => metadata.namespace)).size };
}
