/**
 * Evicts pods whose devices have a taint with the effect NoExecute that their claims do not tolerate.
 *
 * Keeps true:  a pod on a node with an allocated claim that is reserved for it is deleted once its toleration of a
 *              NoExecute taint, from a ResourceSlice or a DeviceTaintRule, has ended. Behind the gate
 *              DRADeviceTaintRules the condition EvictionInProgress of a rule shows the progress of the evictions, or,
 *              for the effect None, what the rule would evict.
 * Requeues:    when a toleration ends; the status of a rule ten seconds after its last change.
 * Upstream:    pkg/controller/devicetainteviction.
 * Deviations:  none.
 */

import { Pods } from "#api/generated/resources/core-v1.ts";
import { DeviceClasses, ResourceClaims, ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { DeviceTaintRules } from "#api/generated/resources/resource-v1beta2.ts";
import type { StoredObject } from "#api/resource.ts";
import { UidCache } from "#families/devices/uid-cache.ts";
import type { EventHandler } from "#informers/informer.ts";
import { events, get, patch, remove } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type Deps, itemText, type WorkItem } from "./deps.ts";
import { syncEviction } from "./evict.ts";
import { syncRuleStatus } from "./rule-status.ts";
import { TaintedClaims } from "./tainted-claims.ts";
import { BY_GROUP, claimChanged, groupKeysOf, podChanged, ruleChanged, sliceChanged } from "./triggers.ts";

const name = "device-taint-eviction-controller";

export interface DeviceTaintEvictionOptions {
  /** --concurrent-device-taint-eviction-syncs */
  readonly workers: number;
}

export const deviceTaintEvictionController: ControllerDescriptor<DeviceTaintEvictionOptions> = keyedController({
  name,
  contract: {
    watches: [Pods, ResourceClaims, ResourceSlices, DeviceClasses, DeviceTaintRules],
    reads: [get(Pods)],
    writes: [
      patch(Pods, "status"),
      remove(Pods, { preconditions: "uid" }),
      patch(DeviceTaintRules, "status"),
      ...events,
    ],
  },
  build(parts, { workers }) {
    const { clock, gates, metrics } = parts.context;
    const groupsHaveClaims = gates.isEnabled("DRAWorkloadResourceClaims");
    const rules = gates.isEnabled("DRADeviceTaintRules") ? parts.informer(DeviceTaintRules) : undefined;
    const deletions = metrics.counter({
      name: "device_taint_eviction_controller_pod_deletions_total",
      help: "Total number of Pods deleted by DeviceTaintEvictionController since its start.",
      stability: "ALPHA",
    });
    const latency = metrics.histogram({
      name: "device_taint_eviction_controller_pod_deletion_duration_seconds",
      help: "Latency, in seconds, between the time when a device taint effect has been activated and a Pod's deletion via DeviceTaintEvictionController.",
      stability: "ALPHA",
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240],
    });
    const deps: Deps = {
      name,
      clock,
      log: parts.log,
      pods: parts.informer(Pods),
      rules,
      podsApi: parts.client.resource(Pods),
      rulesApi: parts.client.resource(DeviceTaintRules),
      recorder: parts.recorder(),
      queue: parts.queue<WorkItem>({ name, text: itemText }),
      deletions: deletions.with([]),
      latency: latency.with([]),
      tainted: new TaintedClaims(groupsHaveClaims),
      evictions: new Map(),
      evicted: new UidCache(),
      evictedByRule: new Map(),
      groupsHaveClaims,
    };
    parts.informer(DeviceClasses); // Upstream also waits for these, without reading them.
    if (groupsHaveClaims) deps.pods.addIndexers({ [BY_GROUP]: groupKeysOf });
    parts.handle(parts.informer(ResourceClaims), handler(deps, claimChanged));
    parts.handle(deps.pods, handler(deps, podChanged));
    if (rules !== undefined) parts.handle(rules, handler(deps, ruleChanged));
    parts.handle(parts.informer(ResourceSlices), handler(deps, sliceChanged));
    parts.work({
      queue: deps.queue,
      workers,
      sync: (item, signal) =>
        item.kind === "pod" ? syncEviction(item, deps, signal) : syncRuleStatus(item, deps, signal),
    });
  },
});

function handler<T extends StoredObject>(
  deps: Deps,
  changed: (old: T | undefined, object: T | undefined, deps: Deps) => void,
): EventHandler<T> {
  return {
    onAdd: (object) => changed(undefined, object, deps),
    onUpdate: (old, object) => changed(old, object, deps),
    onDelete: (object) => changed(object, undefined, deps),
  };
}
