// The ReplicaSets of a Deployment: claims them, separates new from old, and creates, scales and deletes them.
// Upstream: pkg/controller/deployment/sync.go.

import { Deployments, ReplicaSets } from "#api/generated/resources/apps-v1.ts";
import type { Selector } from "#api/label-selector.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound, newNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { claim } from "#kit/claim.ts";
import { ownedAndOrphans } from "#kit/controller-index.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { tolerate } from "#kit/tolerate.ts";
import { type Deployment, type Deps, type ReplicaSet, type Rollout, replicasOf } from "./model.ts";
import type { Resized } from "./resizing.ts";
import {
  byRevision,
  hasReplicasAnnotations,
  maxRevision,
  newSetAnnotations,
  REVISION,
  replicasAnnotations,
} from "./revisions.ts";
import { maxSurge } from "./sizes.ts";
import { hasProgressDeadline, progressing, withProgress } from "./status.ts";
import { isSameTemplate, newAndOld, newReplicaSet } from "./templates.ts";

const INT32_MAX = 2 ** 31 - 1;

export function claimSets(
  deployment: Deployment,
  selector: Selector,
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly ReplicaSet[]> {
  const { namespace, name } = deployment.metadata;
  return claim(ownedAndOrphans(deps.replicaSets, deployment, Deployments), {
    owner: deployment,
    ownerResource: Deployments,
    resource: ReplicaSets,
    matches: ({ metadata }) => selector.matches(metadata.labels ?? {}),
    readOwnerLive: () => deps.deploymentsApi.get({ namespace, name }, signal),
    patch: ({ metadata: { name } }, patch) => deps.setsApi.patch({ namespace, name, type: "strategic", patch }, signal),
  });
}

/**
 * Separates new from old and updates the revisions of the Deployment and the new ReplicaSet. createsNew: creates the
 * new one if missing.
 */
export async function resolveSets(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  { createsNew }: { readonly createsNew: boolean },
  deps: Deps,
  signal: AbortSignal,
): Promise<Rollout> {
  const { newSet, oldSets } = newAndOld(deployment, sets);
  const revision = maxRevision(oldSets) + 1;
  if (newSet !== undefined) return { oldSets, ...(await syncRevision(deployment, newSet, revision, deps, signal)) };
  if (!createsNew) return { deployment, newSet, oldSets };
  return { oldSets, ...(await createNewSet(deployment, oldSets, revision, deps, signal)) };
}

type WithNewSet = Pick<Rollout, "deployment" | "newSet">;

/** Copies annotations and minReadySeconds to the ReplicaSet, and its revision to the Deployment. */
async function syncRevision(
  deployment: Deployment,
  set: ReplicaSet,
  revision: number,
  deps: Deps,
  signal: AbortSignal,
): Promise<WithNewSet> {
  const { annotations, isChanged } = newSetAnnotations(set.metadata.annotations ?? {}, deployment, revision);
  const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
  if (isChanged || (set.spec?.minReadySeconds ?? 0) !== minReadySeconds) {
    const { minReadySeconds: _, ...spec } = set.spec ?? { selector: {} };
    const object = {
      ...set,
      metadata: { ...set.metadata, annotations },
      spec: { ...spec, ...(minReadySeconds === 0 ? {} : { minReadySeconds }) },
    };
    return { deployment, newSet: await deps.setsApi.update({ object }, signal) };
  }
  let updated = withRevision(deployment, annotations[REVISION] ?? "");
  if (hasProgressDeadline(updated) && progressing(updated) === undefined) {
    const message = `Found new replica set "${set.metadata.name}"`;
    updated = withProgress(updated, { status: "True", reason: "FoundNewReplicaSet", message }, deps.clock.now());
  }
  if (updated !== deployment) await deps.deploymentsApi.updateStatus({ object: updated }, signal);
  return { deployment: updated, newSet: set };
}

async function createNewSet(
  deployment: Deployment,
  oldSets: readonly ReplicaSet[],
  revision: number,
  deps: Deps,
  signal: AbortSignal,
): Promise<WithNewSet> {
  const object = newReplicaSet(deployment, oldSets, revision);
  let created: ReplicaSet | undefined;
  try {
    created = await deps.setsApi.create({ object }, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw await reportCreateError(deployment, object.metadata.name, error, deps, signal);
    const existing = deps.replicaSets.lister.get(`${deployment.metadata.namespace}/${object.metadata.name}`);
    if (existing === undefined) throw newNotFound(ReplicaSets, object.metadata.name);
    if (!isOwn(existing, deployment)) throw await countCollision(deployment, error, deps, signal);
    return {
      deployment: await writeProgress(withRevision(deployment, String(revision)), deployment, deps, signal),
      newSet: existing,
    };
  }
  deps.createdSets.add(objectKey(deployment), created);
  const { name } = created.metadata;
  const size = replicasOf(object);
  if (size > 0) scaledEvent(deployment, `Scaled up replica set ${name} from 0 to ${size}`, deps);
  let updated = withRevision(deployment, String(revision));
  if (hasProgressDeadline(deployment)) {
    const message = `Created new replica set "${name}"`;
    updated = withProgress(updated, { status: "True", reason: "NewReplicaSetCreated", message }, deps.clock.now());
  }
  return { deployment: await writeProgress(updated, deployment, deps, signal), newSet: created };
}

function isOwn(set: ReplicaSet, deployment: Deployment): boolean {
  const isControlled = getControllerOf(set)?.uid === deployment.metadata.uid;
  return isControlled && isSameTemplate(deployment.spec?.template, set.spec?.template);
}

/** Another template has the same hash. The next sync computes another hash, because the count is part of it. */
async function countCollision(
  deployment: Deployment,
  error: unknown,
  deps: Deps,
  signal: AbortSignal,
): Promise<unknown> {
  const before = deployment.status?.collisionCount ?? 0;
  const status = { ...deployment.status, collisionCount: before + 1 };
  try {
    await deps.deploymentsApi.updateStatus({ object: { ...deployment, status } }, signal);
    const { namespace, name } = deployment.metadata;
    deps.log.v(2).info("Found a hash collision for deployment - bumping collisionCount to resolve it", {
      deployment: { namespace, name },
      oldCollisionCount: before,
      newCollisionCount: before + 1,
    });
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure; // the sync fails in any case, and is retried
  }
  return error;
}

async function reportCreateError(
  deployment: Deployment,
  name: string,
  error: unknown,
  deps: Deps,
  signal: AbortSignal,
): Promise<unknown> {
  if (isNamespaceTerminating(error) || signal.aborted) return error;
  const message = `Failed to create new replica set "${name}": ${errorMessage(error)}`;
  if (hasProgressDeadline(deployment)) {
    const condition = { status: "False", reason: "ReplicaSetCreateError", message };
    const object = withProgress(deployment, condition, deps.clock.now());
    try {
      await deps.deploymentsApi.updateStatus({ object }, signal);
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure; // the retry of the create reports it again
    }
  }
  deps.recorder.event(referenceTo(deployment, Deployments), "Warning", "ReplicaSetCreateError", message);
  return error;
}

/** Returns the same Deployment if it has this revision. */
function withRevision(deployment: Deployment, revision: string): Deployment {
  const { annotations } = deployment.metadata;
  if ((annotations?.[REVISION] ?? "") === revision) return deployment;
  return { ...deployment, metadata: { ...deployment.metadata, annotations: { ...annotations, [REVISION]: revision } } };
}

async function writeProgress(
  updated: Deployment,
  before: Deployment,
  deps: Deps,
  signal: AbortSignal,
): Promise<Deployment> {
  if (updated !== before) await deps.deploymentsApi.updateStatus({ object: updated }, signal);
  return updated;
}

/** Writes size and annotations. isForced: even if only the annotations differ. */
export async function scaleSet(
  set: ReplicaSet,
  size: number,
  deployment: Deployment,
  { isForced = false }: { readonly isForced?: boolean },
  deps: Deps,
  signal: AbortSignal,
): Promise<Resized> {
  const before = replicasOf(set);
  const replicas = replicasOf(deployment);
  const max = replicas + maxSurge(deployment);
  const isResized = before !== size;
  if (!isResized && !(isForced && !hasReplicasAnnotations(set, replicas, max))) return { isScaled: false, set };
  const annotations = { ...set.metadata.annotations, ...replicasAnnotations(replicas, max) };
  const spec = { ...(set.spec ?? { selector: {} }), replicas: size };
  const object = { ...set, metadata: { ...set.metadata, annotations }, spec };
  const updated = await deps.setsApi.update({ object }, signal);
  if (isResized) {
    const direction = before < size ? "up" : "down";
    scaledEvent(deployment, `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${size}`, deps);
  }
  return { isScaled: isResized, set: updated };
}

function scaledEvent(deployment: Deployment, message: string, deps: Deps): void {
  deps.recorder.event(referenceTo(deployment, Deployments), "Normal", "ScalingReplicaSet", message);
}

/** Deletes the oldest revisions beyond the limit. A revision that is still in use is kept and counted. */
export async function cleanUp({ deployment, oldSets }: Rollout, deps: Deps, signal: AbortSignal): Promise<void> {
  const limit = deployment.spec?.revisionHistoryLimit ?? INT32_MAX;
  if (limit === INT32_MAX) return;
  const alive = oldSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const surplus = Math.max(0, alive.length - limit);
  for (const set of alive.toSorted(byRevision).slice(0, surplus)) {
    const { namespace, name, generation = 0 } = set.metadata;
    const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
    if (replicas !== 0 || replicasOf(set) !== 0 || generation > observedGeneration) continue;
    await tolerate(deps.setsApi.delete({ namespace, name }, signal), isNotFound);
  }
}
