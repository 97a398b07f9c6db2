// The replica engine: ReplicaSet and ReplicationController are both built here; their ReplicaKind says where they differ.
// Upstream: pkg/controller/replicaset/replica_set.go, NewBaseController.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { TaskGroup } from "#base/task-group.ts";
import { noConsistency, StaleCacheError, WrittenVersions } from "#kit/consistency.ts";
import type { Controller, ControllerContext } from "#kit/controller.ts";
import { addControllerIndex } from "#kit/controller-index.ts";
import { DoubtfulCreates } from "#kit/doubtful-creates.ts";
import { controllerEvents } from "#kit/events/controller-events.ts";
import { TrackingExpectations } from "#kit/expectations.ts";
import { KeyQueue } from "#kit/key-queue.ts";
import { createPodControl } from "#kit/pod-control.ts";
import { runWorkers, type WorkerOptions } from "#kit/worker-loop.ts";
import type { Deps } from "./deps.ts";
import { registerReplicaMetrics } from "./metrics.ts";
import { addSiblingIndex } from "./pods.ts";
import { parsedSelectors, type ReplicaKind, type ReplicaObject } from "./replica-kind.ts";
import { syncReplicas } from "./sync.ts";
import { ownerTriggers, podTriggers } from "./triggers.ts";

export interface ReplicaOptions {
  /** --concurrent-replicaset-syncs, --concurrent-rc-syncs */
  readonly workers: number;
}

export async function buildReplicaController<T extends ReplicaObject>(
  kind: ReplicaKind<T>,
  context: ControllerContext,
  options: ReplicaOptions,
): Promise<Controller> {
  const { clock, gates, informers } = context;
  const { identity } = kind;
  const log = context.log.named(identity);
  const client = await context.client(identity);
  const events = controllerEvents({ context, client, log, component: identity });
  const owners = informers.informer(kind.resource);
  const pods = informers.informer(Pods);
  const isGuarded = kind.consistencyGate !== undefined && gates.isEnabled(kind.consistencyGate);
  const consistency = isGuarded ? new WrittenVersions([pods, owners]) : noConsistency;
  const metrics = registerReplicaMetrics(context.metrics);
  const podsApi = client.resource(Pods);

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
      recorder: events.recorder,
      ownerResource: kind.resource,
      onWrite(pod, controller) {
        if (controller === undefined) return;
        const { namespace, resourceVersion } = pod.metadata;
        consistency.wroteAt(`${namespace}/${controller.name}`, controller.uid, Pods, resourceVersion);
      },
    }),
    expectations: new TrackingExpectations(clock),
    consistency,
    doubts: new DoubtfulCreates(pods),
    usesDeletionCost: gates.isEnabled("PodDeletionCost"),
    reportsTerminating: kind.reportsTerminating && gates.isEnabled("DeploymentReplicaSetTerminatingReplicas"),
    selectorOf: parsedSelectors(kind),
  };

  const queue = new KeyQueue({ context, controller: identity, name: kind.queueName });
  const registrations = [owners.addHandler(ownerTriggers(deps, queue)), pods.addHandler(podTriggers(deps, queue))];
  addControllerIndex(pods);
  if (kind.ranksBySiblings) addSiblingIndex(owners);

  const work: WorkerOptions = {
    queue,
    log,
    workers: options.workers,
    waitFor: registrations,
    sync: (key, signal) => syncReplicas(key, deps, signal),
    onError: (error) => {
      if (error instanceof StaleCacheError) metrics.staleSyncSkips.inc([error.group, error.resource]);
    },
  };
  return { run: (signal) => TaskGroup.all(signal, [events.run, (signal) => runWorkers(work, signal)]) };
}
