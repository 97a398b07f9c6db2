// How events of pods, claims, slices and rules change evictions. Evictions are scheduled and cancelled here; workers
// execute them.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, handlePod, handlePods, handlePodChange,
// handleRuleChange, evictPod.

import { semanticEqual } from "#api/equality.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { DeviceTaintRules } from "#api/generated/resources/resource-v1beta2.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isPodGroupReference, podGroupNameOf } from "#families/devices/claims-of-users.ts";
import { eventCause } from "#kit/trace.ts";
import { type Deps, itemText, podItem, ruleItem } from "./deps.ts";
import { recordEviction } from "./evict.ts";
import { RULE_STATUS_PERIOD_MS } from "./rule-status.ts";
import type { Claim } from "./tainted-claims.ts";
import type { Rule, Slice } from "./taints.ts";

export const BY_GROUP = "podGroupPerPod";

export function groupKeysOf(pod: Stored<Pod>): readonly ObjectKey[] {
  const name = podGroupNameOf(pod);
  return name === undefined ? [] : [`${pod.metadata.namespace}/${name}`];
}

/**
 * Pods change often. Only a change of the node or the claims matters, not the condition that an eviction itself sets.
 */
export function podChanged(old: Stored<Pod> | undefined, pod: Stored<Pod> | undefined, deps: Deps): void {
  if (pod === undefined) {
    if (old !== undefined) deps.evictions.delete(itemText(podItem(old)));
    return;
  }
  const isAsBefore =
    old !== undefined &&
    (old.spec?.nodeName ?? "") === (pod.spec?.nodeName ?? "") &&
    semanticEqual(old.status?.resourceClaimStatuses, pod.status?.resourceClaimStatuses);
  if (!isAsBefore) judgePod(pod, deps);
}

export function claimChanged(old: Claim | undefined, claim: Claim | undefined, deps: Deps): void {
  judgeConsumers(deps.tainted.changeClaim(old, claim), deps);
}

export function sliceChanged(old: Slice | undefined, slice: Slice | undefined, deps: Deps): void {
  judgeConsumers(deps.tainted.changeSlice(old, slice), deps);
}

export function ruleChanged(old: Rule | undefined, rule: Rule | undefined, deps: Deps): void {
  if (old !== undefined && rule !== undefined && old.metadata.uid === rule.metadata.uid) {
    if (semanticEqual(old.spec, rule.spec)) return;
    deps.queue.add(ruleItem(rule), eventCause(DeviceTaintRules, "update", rule));
  } else if (old === undefined && rule !== undefined) {
    // The status is written before any pod is evicted.
    deps.queue.add(ruleItem(rule), eventCause(DeviceTaintRules, "add", rule));
  }
  if (rule === undefined && old !== undefined) deps.evictedByRule.delete(old.metadata.uid);
  judgeConsumers(deps.tainted.changeRule(old, rule), deps);
}

function judgeConsumers(claims: readonly Claim[], deps: Deps): void {
  const pods = new Set(claims.flatMap((claim) => consumersOf(claim, deps)));
  for (const pod of pods) judgePod(pod, deps);
}

function consumersOf({ metadata: { namespace }, status }: Claim, deps: Deps): readonly Stored<Pod>[] {
  return (status?.reservedFor ?? []).flatMap((consumer) => {
    const key: ObjectKey = `${namespace}/${consumer.name}`;
    if ((consumer.apiGroup ?? "") === "" && consumer.resource === "pods") {
      const pod = deps.pods.lister.get(key);
      return pod?.metadata.uid === consumer.uid ? [pod] : [];
    }
    return deps.groupsHaveClaims && isPodGroupReference(consumer) ? deps.pods.store.byIndex(BY_GROUP, key) : [];
  });
}

function judgePod(pod: Stored<Pod>, deps: Deps): void {
  const item = podItem(pod);
  const eviction = deps.tainted.evictionOf(pod);
  if (eviction === undefined) {
    if (deps.evictions.delete(itemText(item))) recordEviction(item, "Cancelling deletion", deps.recorder);
    return;
  }
  deps.evictions.set(itemText(item), eviction);
  const afterMs = eviction.atMs - deps.clock.now();
  if (afterMs > 0) deps.queue.addAfter(item, afterMs, "the taint is tolerated until then");
  else deps.queue.add(item, eventCause(Pods, "update", pod));
  // More pods may follow; one status write covers them all.
  for (const source of eviction.sources) {
    if (source.kind === "rule") deps.queue.addAfter(ruleItem(source.rule), RULE_STATUS_PERIOD_MS, "a pod must go");
  }
}
