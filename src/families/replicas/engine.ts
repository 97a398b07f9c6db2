// The replica engine: ReplicaSet and ReplicationController are both built here; their ReplicaKind says where they differ.
// Upstream: pkg/controller/replicaset/replica_set.go, NewBaseController.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { ref } from "#api/object.ts";
import { consistencyOf, countingStaleSyncs } from "#kit/consistency.ts";
import { addControllerIndex } from "#kit/controller-index.ts";
import type { ControllerParts } from "#kit/controller-parts.ts";
import { DoubtfulCreates } from "#kit/doubtful-creates.ts";
import { TrackingExpectations } from "#kit/expectations.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { createPodControl } from "#kit/pod-control.ts";
import type { Deps } from "./deps.ts";
import { registerReplicaMetrics } from "./metrics.ts";
import { PodMarks } from "./pod-marks.ts";
import { addSiblingIndex } from "./pods.ts";
import type { ReplicaKind, ReplicaObject } from "./replica-kind.ts";
import { syncReplicas } from "./sync.ts";
import { ownerTriggers, podTriggers } from "./triggers.ts";

export interface ReplicaOptions {
  /** --concurrent-replicaset-syncs, --concurrent-rc-syncs */
  readonly workers: number;
}

export function wireReplicas<T extends ReplicaObject>(
  kind: ReplicaKind<T>,
  parts: ControllerParts,
  options: ReplicaOptions,
): void {
  const { context, client, log } = parts;
  const { clock, gates } = context;
  const owners = parts.informer(kind.resource);
  const pods = parts.informer(Pods);
  const isGuarded = kind.consistencyGate !== undefined && gates.isEnabled(kind.consistencyGate);
  const consistency = consistencyOf(isGuarded, [pods, owners]);
  const metrics = registerReplicaMetrics(context.metrics);
  const podsApi = client.resource(Pods);
  const selectorOf = parsedSelectors(kind.selectorOf);

  const deps: Deps<T> = {
    kind,
    clock,
    log,
    metrics,
    owners,
    pods,
    ownersApi: client.resource(kind.resource),
    podsApi,
    podControl: createPodControl({
      pods: podsApi,
      recorder: parts.recorder(),
      ownerResource: kind.resource,
      consistency,
    }),
    expectations: new TrackingExpectations(clock),
    consistency,
    doubts: new DoubtfulCreates(pods),
    podMarks: new PodMarks(),
    usesDeletionCost: gates.isEnabled("PodDeletionCost"),
    reportsTerminating: kind.reportsTerminating && gates.isEnabled("DeploymentReplicaSetTerminatingReplicas"),
    selectorOf,
  };

  const queue = parts.queue({ name: kind.queueName });
  const lookup = new OwnerLookup({
    resource: kind.resource,
    owners,
    selectorOf,
    onSeveralAdopters(pod) {
      const { labels } = pod.metadata;
      const message = `user error! more than one ${kind.resource.kind} is selecting pods with these labels`;
      log.error(undefined, message, { labels, pod: ref(pod) });
    },
  });
  parts.handle(owners, ownerTriggers(kind, deps, queue));
  parts.handle(pods, podTriggers(lookup, deps.expectations, queue));
  addControllerIndex(pods);
  if (kind.ranksBySiblings) addSiblingIndex(owners);

  parts.work({
    queue,
    workers: options.workers,
    sync: (key, signal) => syncReplicas(key, deps, signal),
    onError: countingStaleSyncs(metrics.staleSyncSkips),
  });
}
