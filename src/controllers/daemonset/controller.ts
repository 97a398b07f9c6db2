/**
 * Runs a pod of each DaemonSet on every node that its template allows.
 *
 * Keeps true:  each node that the template's node name, selector, required affinity and tolerations allow has one pod;
 *              other nodes have none. Pods of an old revision are replaced as far as maxUnavailable or maxSurge allows.
 *              At most revisionHistoryLimit old revisions are kept, and the status counts nodes and pods.
 * Requeues:    when a ready pod will have been ready for minReadySeconds, and when a failed pod may be deleted.
 * Upstream:    pkg/controller/daemon.
 * Deviations:  nodes are processed in the order of their names; Go's order is random.
 */

import { ControllerRevisions, DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Nodes, Pods } from "#api/generated/resources/core-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { ref } from "#api/object.ts";
import { ItemBackoff } from "#base/item-backoff.ts";
import { until } from "#base/wait.ts";
import { consistencyOf, countingStaleSyncs } from "#kit/consistency.ts";
import { create, events, get, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { addControllerIndex } from "#kit/controller-index.ts";
import { Expectations } from "#kit/expectations.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { createPodControl } from "#kit/pod-control.ts";
import { addNodeIndex } from "#kit/pods-by-node.ts";
import { done } from "#kit/worker-loop.ts";
import type { DaemonSet, Deps } from "./model.ts";
import { syncNode } from "./node-updates.ts";
import { syncDaemonSet } from "./sync.ts";
import { isNodeChange, podTriggers, revisionTriggers, setTriggers } from "./triggers.ts";

const FAILED_PODS_INITIAL_MS = 1000;
const FAILED_PODS_MAX_MS = 15 * 60_000;
const FAILED_PODS_CLEANING_MS = 60_000;

export interface DaemonSetOptions {
  /** --concurrent-daemonset-syncs, for each of the two queues */
  readonly workers: number;
}

export const daemonSetController: ControllerDescriptor<DaemonSetOptions> = keyedController({
  name: "daemonset-controller",
  contract: {
    watches: [DaemonSets, ControllerRevisions, Pods, Nodes],
    // The set, before orphans are adopted, after a refused status and when a revision's name is taken; the revision of
    // that name.
    reads: [get(DaemonSets), get(ControllerRevisions)],
    writes: [
      update(DaemonSets, "status"),
      create(Pods),
      patch(Pods),
      remove(Pods),
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
    const sets = parts.informer(DaemonSets);
    const revisions = parts.informer(ControllerRevisions);
    const pods = parts.informer(Pods);
    const nodes = parts.informer(Nodes);
    const consistency = consistencyOf(gates.isEnabled("StaleControllerConsistencyDaemonSet"), [pods, sets]);
    const recorder = parts.recorder("daemonset-controller");
    const podsApi = client.resource(Pods);
    const selectorOf = parsedSelectors(({ spec }: DaemonSet) => selectorFromObject(spec?.selector));
    const failedPods = new ItemBackoff({ clock, initialMs: FAILED_PODS_INITIAL_MS, maxMs: FAILED_PODS_MAX_MS });
    const staleSyncSkips = context.metrics.counter({
      name: "daemonset_controller_stale_sync_skips_total",
      help: "Total number of DaemonSet syncs skipped due to a stale watch cache.",
      stability: "ALPHA",
      labels: ["group", "resource"],
    });
    const queue = parts.queue({ name: "daemonset" });
    const nodeQueue = parts.queue({ name: "daemonset-node-updates" });
    const deps: Deps = {
      clock,
      log,
      recorder,
      sets,
      pods,
      nodes,
      revisions,
      setsApi: client.resource(DaemonSets),
      podsApi,
      revisionsApi: client.resource(ControllerRevisions),
      podControl: createPodControl({
        pods: podsApi,
        recorder,
        ownerResource: DaemonSets,
        consistency,
      }),
      expectations: new Expectations(clock),
      consistency,
      failedPods,
      comparesTaints: gates.isEnabled("TaintTolerationComparisonOperators"),
      selectorOf,
      syncAfter: (key, ms, why) => queue.addAfter(key, ms, why),
    };
    addControllerIndex(pods);
    addControllerIndex(revisions);
    addNodeIndex(pods);
    const podLookup = new OwnerLookup({
      resource: DaemonSets,
      owners: sets,
      selectorOf,
      onSeveralAdopters({ metadata: { labels } }) {
        log.error(undefined, "user error! more than one daemon is selecting pods with labels", { labels });
      },
    });
    const revisionLookup = new OwnerLookup({
      resource: DaemonSets,
      owners: sets,
      selectorOf,
      onSeveralAdopters(revision) {
        const message =
          "Found more than one DaemonSet selecting the ControllerRevision. This is potentially a user error";
        log.v(4).info(message, { controllerRevision: ref(revision), labels: revision.metadata.labels });
      },
    });
    parts.handle(sets, setTriggers(deps, queue));
    parts.handle(revisions, revisionTriggers(revisionLookup, queue));
    parts.handle(pods, podTriggers(podLookup, deps.expectations, queue));
    parts.enqueue(nodes, nodeQueue, { on: ["add", "update"], when: isNodeChange });
    parts.work({
      queue,
      workers,
      sync: (key, signal) => syncDaemonSet(key, deps, signal),
      onError: countingStaleSyncs(staleSyncSkips),
    });
    parts.work({
      queue: nodeQueue,
      workers,
      async sync(name) {
        syncNode(name, deps, queue);
        return done;
      },
    });
    parts.loop((signal) => until(() => failedPods.collectGarbage(), FAILED_PODS_CLEANING_MS, clock, signal));
  },
});
