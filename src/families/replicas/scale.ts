// Bringing the number of active pods to spec.replicas: the decision, then the calls with their
// expectations. Upstream: pkg/controller/replicaset/replica_set.go, manageReplicas.

import type { Pod } from "#api/generated/types/core-v1.ts";
import { objectKey, ref } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { Stored } from "#api/resource.ts";
import { isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import { allAtOnce, slowStart } from "#kit/slow-start.ts";
import { selectPodsToDelete } from "./deletion-order.ts";
import type { Deps } from "./deps.ts";
import { observeDeletionAges } from "./metrics.ts";
import { podsOfSiblings } from "./pods.ts";
import type { ReplicaObject } from "./replica-kind.ts";

/** The most pods created or deleted in one sync; their events trigger the next sync. */
export const BURST_REPLICAS = 500;

export type ScalePlan =
  | { readonly kind: "none" }
  | { readonly kind: "create"; readonly count: number }
  | { readonly kind: "delete"; readonly count: number };

export function planScale(activePods: number, desired: number): ScalePlan {
  if (activePods < desired) return { kind: "create", count: Math.min(desired - activePods, BURST_REPLICAS) };
  if (activePods > desired) return { kind: "delete", count: Math.min(activePods - desired, BURST_REPLICAS) };
  return { kind: "none" };
}

/**
 * Creates missing pods or deletes surplus ones. Returns the first error instead of throwing, because the status reports
 * it.
 */
export async function scale<T extends ReplicaObject>(
  owner: T,
  pods: readonly Stored<Pod>[],
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<unknown> {
  const need = owner.spec?.replicas ?? 1;
  const plan = planScale(pods.length, need);
  switch (plan.kind) {
    case "none":
      return undefined;
    case "create":
      deps.log.v(2).info("Too few replicas", { replicaSet: ref(owner), need, creating: plan.count });
      return createPods(owner, plan.count, deps, signal);
    case "delete":
      deps.log.v(2).info("Too many replicas", { replicaSet: ref(owner), need, deleting: plan.count });
      return deletePods(owner, choosePods(owner, pods, plan.count, deps), deps, signal);
  }
}

async function createPods<T extends ReplicaObject>(
  owner: T,
  count: number,
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<unknown> {
  const key = objectKey(owner);
  deps.expectations.expectCreations(key, count);
  const { succeeded, error } = await slowStart(count, async () => {
    try {
      await deps.podControl.createPod({ owner, template: owner.spec?.template ?? {} }, signal);
    } catch (error) {
      // No pod can be created in this namespace. The open expectation blocks the owner until it is deleted too, or for
      // five minutes.
      if (isNamespaceTerminating(error)) return;
      deps.doubts.note(key, error);
      throw error;
    }
  });
  const skipped = count - succeeded;
  if (skipped > 0) {
    deps.log.v(2).info("Slow-start failure. Skipping creation of pods, decrementing expectations", {
      podsSkipped: skipped,
      kind: deps.kind.resource.kind,
      replicaSet: ref(owner),
    });
    deps.expectations.creationObserved(key, skipped);
  }
  return error;
}

async function deletePods<T extends ReplicaObject>(
  owner: T,
  pods: readonly Stored<Pod>[],
  deps: Deps<T>,
  signal: AbortSignal,
): Promise<unknown> {
  const key = objectKey(owner);
  deps.expectations.expectDeletions(key, pods.map(objectKey));
  return allAtOnce(pods, async (pod) => {
    try {
      await deps.podControl.deletePod(owner, pod, signal);
    } catch (error) {
      deps.expectations.deletionObserved(key, objectKey(pod)); // no delete event will come for this pod
      if (!isNotFound(error)) throw error;
    }
  });
}

function choosePods<T extends ReplicaObject>(
  owner: T,
  pods: readonly Stored<Pod>[],
  count: number,
  deps: Deps<T>,
): readonly Stored<Pod>[] {
  const controller = getControllerOf(owner);
  if (controller === undefined) {
    deps.log.error(undefined, `${deps.kind.resource.kind} has no controller`, { replicaSet: ref(owner) });
  }
  if (count >= pods.length) return pods;
  const siblingPods = controller === undefined ? [] : podsOfSiblings(controller.uid, deps);
  const now = deps.clock.now();
  const chosen = selectPodsToDelete(pods, siblingPods, count, { now, usesDeletionCost: deps.usesDeletionCost });
  observeDeletionAges(deps.metrics, pods, chosen, now);
  return chosen;
}
