// The dependencies of the syncs and triggers of the device-taint-eviction controller.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { CounterSeries, HistogramSeries } from "#base/metrics.ts";
import type { ResourceClient } from "#client/client.ts";
import type { UidCache } from "#families/devices/uid-cache.ts";
import type { SharedInformer } from "#informers/informer.ts";
import type { EventRecorder } from "#kit/events/recorder.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import type { TaintedClaims } from "./tainted-claims.ts";
import type { Eviction, Rule } from "./taints.ts";

/** An item of the queue: a pod to evict, or a rule whose status may have to be written. */
export type WorkItem =
  | { readonly kind: "pod"; readonly namespace: string; readonly name: string; readonly uid: string }
  | { readonly kind: "rule"; readonly name: string; readonly uid: string };

export interface Deps {
  /** The field manager of the rules' status. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly pods: SharedInformer<Stored<Pod>>;
  /** Undefined if rules are ignored: the gate DRADeviceTaintRules. */
  readonly rules: SharedInformer<Rule> | undefined;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  readonly rulesApi: ResourceClient<Rule>;
  readonly recorder: EventRecorder;
  readonly queue: KeyQueue<WorkItem>;
  readonly deletions: CounterSeries;
  readonly latency: HistogramSeries;
  readonly tainted: TaintedClaims;
  /** The scheduled evictions, by the text of the pod's item. An item without an entry is out of date. */
  readonly evictions: Map<string, Eviction>;
  /** Pods that were evicted, by UID. */
  readonly evicted: UidCache;
  /** How many pods were evicted for a rule since the start, by the rule's UID. */
  readonly evictedByRule: Map<string, number>;
  /** The gate DRAWorkloadResourceClaims. */
  readonly groupsHaveClaims: boolean;
}

export function itemText(item: WorkItem): string {
  return item.kind === "pod" ? `pod:${item.namespace}/${item.name}:${item.uid}` : `rule:${item.name}:${item.uid}`;
}

export function podItem({ metadata: { namespace, name, uid } }: Stored<Pod>): WorkItem & { readonly kind: "pod" } {
  return { kind: "pod", namespace, name, uid };
}

export function ruleItem({ metadata: { name, uid } }: Rule): WorkItem {
  return { kind: "rule", name, uid };
}
