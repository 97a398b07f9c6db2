// Syncs one Deployment: its ReplicaSets, then pause, rollback, scaling or rollout, and its status.
// Upstream: pkg/controller/deployment/deployment_controller.go, syncDeployment.

import { ValueError } from "#api/errors.ts";
import { Deployments } from "#api/generated/resources/apps-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import { ApiError, isNamespaceTerminating } from "#api/status-error.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { done, requeueAfter, type SyncResult } from "#kit/worker-loop.ts";
import { allSets, type Deployment, type Deps, isActive, type ReplicaSet, type Rollout, replicasOf } from "./model.ts";
import { claimSets, cleanUp, resolveSets } from "./replica-sets.ts";
import { annotatedReplicas, rollbackRevision } from "./revisions.ts";
import { rollback } from "./rollback.ts";
import { pauseCondition, syncStatus } from "./status.ts";
import { rolloutRecreate, rolloutRolling, scale } from "./strategies.ts";
import { apiOfSync, ReplacedError } from "./writes.ts";

export async function syncDeployment(key: ObjectKey, given: Deps, signal: AbortSignal): Promise<SyncResult> {
  const deployment = given.deployments.lister.get(key);
  if (deployment === undefined) {
    given.createdSets.forget(key);
    return done;
  }
  const waitMs = given.createdSets.waitMs(key);
  if (waitMs > 0) return requeueAfter(waitMs, "ReplicaSet in the cache");
  const deps = { ...given, deploymentsApi: apiOfSync(given.deploymentsApi) };
  try {
    if (selectsEverything(deployment)) return await refuseSelector(deployment, deps, signal);
    return await syncSets(deployment, deps, signal);
  } catch (error) {
    if (isNamespaceTerminating(error)) return done; // no object can be created in the namespace
    if (error instanceof ReplacedError) return done; // the event of the sync's own write triggers the next sync
    throw error;
  }
}

async function syncSets(given: Deployment, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { namespace, name, deletionTimestamp } = given.metadata;
  const selector = deps.selectorOf(given);
  if (selector instanceof ValueError) {
    throw new Error(`deployment ${namespace}/${name} has invalid label selector: ${selector.message}`);
  }
  const sets = await claimSets(given, selector, deps, signal);
  const resolve = (deployment: Deployment): Promise<Rollout> =>
    resolveSets(deployment, sets, { createsNew: false }, deps, signal);
  if (deletionTimestamp !== undefined) return await syncStatus(await resolve(given), deps, signal);

  const deployment = await syncPause(given, deps, signal);
  if (deployment.spec?.paused === true) return await scaleOnly(await resolve(deployment), deps, signal);
  const wanted = rollbackRevision(deployment);
  if (wanted !== undefined) return await rollback(deployment, sets, wanted, deps, signal);
  const rollout = await resolve(deployment);
  if (isResized(rollout)) return await scaleOnly(rollout, deps, signal);
  return await roll(rollout.deployment, sets, deps, signal);
}

/**
 * A selector that matches everything would take the pods of other Deployments. The server refuses it, but old objects
 * may have one.
 */
function selectsEverything({ spec }: Deployment): boolean {
  return spec?.selector !== undefined && Object.keys(spec.selector).length === 0;
}

async function refuseSelector(deployment: Deployment, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const message = "This deployment is selecting all pods. A non-empty selector is required.";
  deps.recorder.event(referenceTo(deployment, Deployments), "Warning", "SelectingAll", message);
  const { generation = 0 } = deployment.metadata;
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return done;
  const status = { ...deployment.status, observedGeneration: generation };
  try {
    await deps.deploymentsApi.updateStatus({ object: { ...deployment, status } }, signal);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // the next event of the Deployment triggers another try
  }
  return done;
}

async function syncPause(deployment: Deployment, deps: Deps, signal: AbortSignal): Promise<Deployment> {
  const changed = pauseCondition(deployment, deps.clock.now());
  if (changed === undefined) return deployment;
  await deps.deploymentsApi.updateStatus({ object: changed }, signal);
  return changed;
}

async function scaleOnly(rollout: Rollout, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const { deployment } = rollout;
  await scale(rollout, deps, signal);
  if (deployment.spec?.paused === true && rollbackRevision(deployment) === undefined)
    await cleanUp(rollout, deps, signal);
  return await syncStatus(rollout, deps, signal);
}

/** spec.replicas has changed since an active ReplicaSet was last scaled. */
function isResized(rollout: Rollout): boolean {
  return allSets(rollout)
    .filter(isActive)
    .some((set) => (annotatedReplicas(set) ?? replicasOf(rollout.deployment)) !== replicasOf(rollout.deployment));
}

function roll(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  const type = deployment.spec?.strategy?.type ?? "";
  if (type === "Recreate") return rolloutRecreate(deployment, sets, deps, signal);
  if (type === "RollingUpdate") return rolloutRolling(deployment, sets, deps, signal);
  throw new Error(`unexpected deployment strategy type: ${type}`);
}
