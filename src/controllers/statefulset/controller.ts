/**
 * Runs the pods of StatefulSets: each pod has an ordinal, and with it a stable name and stable volume claims.
 *
 * Keeps true:  each ordinal of spec.replicas has a pod with its claims; other pods are deleted, highest ordinal first.
 *              An ordered set creates and deletes one pod after the other, and waits until each is available. Pods
 *              above the partition are replaced until they are at the revision of the template. Claims have the owners
 *              that the retention policy requires. At most revisionHistoryLimit old revisions are kept.
 * Requeues:    when a ready pod will have been ready for minReadySeconds.
 * Upstream:    pkg/controller/statefulset.
 * Deviations:  volumes of claim templates are in the order of the templates; Go's order is random. A set with the
 *              Parallel policy does not touch a pod that it has just created until the next sync.
 */

import { ControllerRevisions, StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { consistencyOf } from "#kit/consistency.ts";
import { create, events, get, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { addControllerIndex } from "#kit/controller-index.ts";
import { History } from "#kit/history.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { LruMap } from "#kit/lru.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { createPodControl } from "#kit/pod-control.ts";
import { registerStatefulSetMetrics } from "./metrics.ts";
import type { Deps, StatefulSet } from "./model.ts";
import { syncStatefulSet } from "./sync.ts";
import { podTriggers } from "./triggers.ts";

const EQUAL_REVISIONS_MAX = 10_000;

export interface StatefulSetOptions {
  /** --concurrent-statefulset-syncs */
  readonly workers: number;
}

export const statefulSetController: ControllerDescriptor<StatefulSetOptions> = keyedController({
  name: "statefulset-controller",
  contract: {
    watches: [StatefulSets, Pods, PersistentVolumeClaims, ControllerRevisions],
    // The set, before orphans are adopted; a revision, when its name is taken.
    reads: [get(StatefulSets), get(ControllerRevisions)],
    writes: [
      update(StatefulSets, "status"),
      create(Pods),
      update(Pods),
      patch(Pods),
      remove(Pods),
      create(PersistentVolumeClaims),
      update(PersistentVolumeClaims),
      create(ControllerRevisions),
      update(ControllerRevisions),
      patch(ControllerRevisions),
      remove(ControllerRevisions),
      ...events,
    ],
  },
  build(parts, { workers }) {
    const { client, context, log } = parts;
    const { clock, gates } = context;
    const rng = context.rng.fork("statefulset-conflicts");
    const sets = parts.informer(StatefulSets);
    const pods = parts.informer(Pods);
    const claims = parts.informer(PersistentVolumeClaims);
    const revisions = parts.informer(ControllerRevisions);
    const consistency = consistencyOf(gates.isEnabled("StaleControllerConsistencyStatefulSet"), [pods, claims, sets]);
    const recorder = parts.recorder();
    const podsApi = client.resource(Pods);
    const selectorOf = parsedSelectors(({ spec }: StatefulSet) => selectorFromObject(spec?.selector));
    const deps: Deps = {
      clock,
      rng,
      log,
      gates,
      recorder,
      metrics: registerStatefulSetMetrics(context.metrics),
      sets,
      pods,
      claims,
      setsApi: client.resource(StatefulSets),
      podsApi,
      claimsApi: client.resource(PersistentVolumeClaims),
      history: new History({ clock, rng, revisions, api: client.resource(ControllerRevisions) }),
      podControl: createPodControl({
        pods: podsApi,
        recorder,
        ownerResource: StatefulSets,
        consistency,
      }),
      consistency,
      equalRevisions: new LruMap(EQUAL_REVISIONS_MAX),
      selectorOf,
    };
    addControllerIndex(pods);
    const lookup = new OwnerLookup({
      resource: StatefulSets,
      owners: sets,
      selectorOf,
      onSeveralAdopters(pod, adopters) {
        const names = adopters.map(({ metadata }) => metadata.name);
        const { labels } = pod.metadata;
        log.error(undefined, "More than one StatefulSet is selecting pods with same labels", {
          podLabels: labels,
          sets: names,
        });
      },
    });
    const queue = parts.queue({ name: "statefulset" });
    parts.enqueue(sets, queue, {});
    parts.handle(pods, podTriggers(lookup, queue));
    parts.work({ queue, workers, sync: (key, signal) => syncStatefulSet(key, deps, signal) });
  },
});
