// Rolls back on request of an annotation, which old versions of kubectl wrote. Upstream:
// pkg/controller/deployment/rollback.go.

import { Deployments } from "#api/generated/resources/apps-v1.ts";
import type { EventType } from "#kit/events/recorder.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { allSets, type Deployment, type Deps, type ReplicaSet } from "./model.ts";
import { resolveSets } from "./replica-sets.ts";
import { lastRevision, revisionOf, rolledBackAnnotations, withoutRollback } from "./revisions.ts";
import { isSameTemplate, withoutHash } from "./templates.ts";

/** wanted: a revision, or 0 for the one before the newest. */
export async function rollback(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  wanted: number,
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  const rollout = await resolveSets(deployment, sets, { createsNew: true }, deps, signal);
  const all = allSets(rollout);
  const revision = wanted === 0 ? lastRevision(all) : wanted;
  const target = revision === 0 ? undefined : all.find((set) => revisionOf(set) === revision);
  const tell = (type: EventType, reason: string, message: string): void =>
    deps.recorder.event(referenceTo(rollout.deployment, Deployments), type, reason, message);
  const { name } = deployment.metadata;

  if (target === undefined) {
    const what = revision === 0 ? "last revision" : "the revision to rollback to";
    tell("Warning", "DeploymentRollbackRevisionNotFound", `Unable to find ${what}.`);
    await clearWish(rollout.deployment, deps, signal);
  } else if (isSameTemplate(rollout.deployment.spec?.template, target.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    tell("Warning", "DeploymentRollbackTemplateUnchanged", message);
    await clearWish(rollout.deployment, deps, signal);
  } else {
    await clearWish(withTemplateOf(rollout.deployment, target), deps, signal);
    tell("Normal", "DeploymentRollback", `Rolled back deployment "${name}" to revision ${revision}`);
  }
  return done;
}

function withTemplateOf(deployment: Deployment, set: ReplicaSet): Deployment {
  const { spec = { selector: {}, template: {} }, metadata } = deployment;
  return {
    ...deployment,
    metadata: { ...metadata, annotations: rolledBackAnnotations(deployment, set) },
    spec: { ...spec, template: withoutHash(set.spec?.template) },
  };
}

async function clearWish(deployment: Deployment, deps: Deps, signal: AbortSignal): Promise<void> {
  const annotations = withoutRollback(deployment.metadata.annotations ?? {});
  await deps.deploymentsApi.update(
    { object: { ...deployment, metadata: { ...deployment.metadata, annotations } } },
    signal,
  );
}
