/**
 * Rolls out Deployments: creates a ReplicaSet per pod template and moves replicas from old ones to the new one.
 *
 * Keeps true:  spec.replicas pods of the current template run in the end; meanwhile no more than maxSurge are added and
 *              no more than maxUnavailable are missing. At most revisionHistoryLimit old ReplicaSets are kept, and the
 *              status shows the progress of the rollout.
 * Requeues:    when the progress deadline will have passed. A failing key is dropped after 15 retries.
 * Upstream:    pkg/controller/deployment.
 * Deviations:  when a pod of a Recreate Deployment is deleted, its ReplicaSets are read from the cache instead of the
 *              server. A write that conflicts with an earlier one of the same sync is not sent (writes.ts). A sync waits
 *              up to a second for the cache to show the ReplicaSet that the last one has created. Sizes above 2^31 - 1
 *              are not wrapped.
 */

import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import { ref } from "#api/object.ts";
import { create, events, get, patch, remove, update } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { addControllerIndex } from "#kit/controller-index.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { OwnerLookup } from "#kit/owner-lookup.ts";
import { parsedSelectors } from "#kit/parsed-selectors.ts";
import { CreatedSets } from "./created-sets.ts";
import type { Deployment, Deps } from "./model.ts";
import { syncDeployment } from "./sync.ts";
import { podTriggers, setTriggers } from "./triggers.ts";

const RETRIES_MAX = 15;

export interface DeploymentOptions {
  /** --concurrent-deployment-syncs */
  readonly workers: number;
}

export const deploymentController: ControllerDescriptor<DeploymentOptions> = keyedController({
  name: "deployment-controller",
  contract: {
    watches: [Deployments, ReplicaSets, Pods],
    reads: [get(Deployments)],
    writes: [
      update(Deployments),
      update(Deployments, "status"),
      create(ReplicaSets),
      update(ReplicaSets),
      patch(ReplicaSets),
      remove(ReplicaSets),
      ...events,
    ],
  },
  build(parts, { workers }) {
    const { clock, gates } = parts.context;
    const replicaSets = parts.informer(ReplicaSets);
    const deps: Deps = {
      clock,
      log: parts.log,
      recorder: parts.recorder(),
      deployments: parts.informer(Deployments),
      replicaSets,
      pods: parts.informer(Pods),
      deploymentsApi: parts.client.resource(Deployments),
      setsApi: parts.client.resource(ReplicaSets),
      createdSets: new CreatedSets(clock, replicaSets.lister),
      selectorOf: parsedSelectors(({ spec }: Deployment) => selectorFromObject(spec?.selector)),
      reportsTerminating: gates.isEnabled("DeploymentReplicaSetTerminatingReplicas"),
    };
    const { deployments, pods, selectorOf } = deps;
    addControllerIndex(replicaSets);
    addControllerIndex(pods);
    const lookup = new OwnerLookup({
      resource: Deployments,
      owners: deployments,
      selectorOf,
      onSeveralAdopters: (set, [first]) => {
        const { labels } = set.metadata;
        const message = "user error! more than one deployment is selecting replica set";
        parts.log.v(4).info(message, { replicaSet: ref(set), labels, ...(first && { deployment: ref(first) }) });
      },
    });
    const queue = parts.queue({ name: "deployment" });
    parts.enqueue(deployments, queue, {});
    parts.handle(replicaSets, setTriggers(lookup, queue));
    parts.handle(pods, podTriggers(lookup, deps, queue));
    parts.work({
      queue,
      workers,
      retriesMax: RETRIES_MAX,
      retryVerbosity: 2, // most retries are conflicts with the controller's own last write
      sync: (key, signal) => syncDeployment(key, deps, signal),
    });
  },
});
