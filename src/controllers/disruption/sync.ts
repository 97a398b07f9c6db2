// Syncs one budget: counts its pods, drops evictions that were never executed, and computes the allowed disruptions.
// When that fails, none are allowed.
// Upstream: pkg/controller/disruption/disruption.go, sync, trySync, failSafe.

import { withStatusCondition } from "#api/conditions.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import type { PodDisruptionBudgetStatus } from "#api/generated/types/policy-v1.ts";
import { type Selector, selectorFromObject, selectorGoText } from "#api/label-selector.ts";
import { type ObjectKey, objectKey, ref } from "#api/object.ts";
import { isConflict } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { compareText } from "#kit/order.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { DISRUPTION_ALLOWED } from "#rules/disruption-budget.ts";
import { countHealthy, disruptions, needsScale, newStatus, type PodCounts, podCounts } from "./budget.ts";
import { expectedScale } from "./expected-scale.ts";
import type { Budget, Deps, StoredPod } from "./model.ts";

export async function syncBudget(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const budget = deps.budgets.lister.get(key);
  if (budget === undefined) return done;
  try {
    await trySync(budget, deps, signal);
  } catch (error) {
    // A conflict means that another client evicts a pod: the next try sees it.
    if (isConflict(error) || signal.aborted) throw error;
    deps.log.error(error, "Failed to sync PDB", { podDisruptionBudget: ref(budget) });
    await writeStatus(budget, allowNothing(budget, error, deps), deps, signal);
  }
  return done;
}

async function trySync(budget: Budget, deps: Deps, signal: AbortSignal): Promise<void> {
  const warn = (reason: string, message: string): void =>
    deps.recorder.event(referenceTo(budget, PodDisruptionBudgets), "Warning", reason, message);
  const pods = await warnOn(
    () => podsOf(budget, deps),
    (error) => warn("NoPods", `Failed to get pods: ${error}`),
  );
  if (pods.length === 0) {
    deps.recorder.event(referenceTo(budget, PodDisruptionBudgets), "Normal", "NoPods", "No matching pods found");
  }
  const counts = await warnOn(
    () => countExpected(budget, pods, deps, signal),
    (error) => warn("CalculateExpectedPodCountFailed", `Failed to calculate the number of expected pods: ${error}`),
  );
  if (counts.hasUnmanaged) warn("UnmanagedPods", unmanagedText(budget));

  const now = deps.clock.now();
  const disrupted = disruptions(budget.status?.disruptedPods ?? {}, pods, now);
  const { namespace } = budget.metadata;
  for (const pod of disrupted.overdue) {
    const message = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`;
    deps.recorder.event(referenceTo(pod, Pods), "Warning", "NotDeleted", message);
  }
  const status = newStatus(budget, counts, countHealthy(pods, disrupted.pods, now), disrupted.pods, now);
  if (status !== undefined) await writeStatus(budget, status, deps, signal);
  const { recheckAt } = disrupted;
  if (recheckAt !== undefined) {
    deps.rechecks.addAfter(objectKey(budget), recheckAt - now, "an evicted pod should be deleted by then");
  }
}

/** Records an event for an error before it throws it again. */
async function warnOn<R>(step: () => R | Promise<R>, warn: (error: string) => void): Promise<R> {
  try {
    return await step();
  } catch (error) {
    warn(errorMessage(error));
    throw error;
  }
}

/** In the order of their names, so that an error is always about the first pod that has one. */
function podsOf({ metadata, spec }: Budget, { pods }: Deps): readonly StoredPod[] {
  const selector: Selector = selectorFromObject(spec?.selector);
  const byName = (a: StoredPod, b: StoredPod): number => compareText(a.metadata.name, b.metadata.name);
  return pods.lister.list(selector, metadata.namespace).toSorted(byName);
}

async function countExpected(
  { spec = {} }: Budget,
  pods: readonly StoredPod[],
  deps: Deps,
  signal: AbortSignal,
): Promise<PodCounts & { readonly hasUnmanaged: boolean }> {
  if (!needsScale(spec)) return { ...podCounts(spec, pods.length, 0), hasUnmanaged: false };
  const { expected, unmanaged } = await expectedScale(pods, deps, signal);
  return { ...podCounts(spec, pods.length, expected), hasUnmanaged: unmanaged.length > 0 };
}

function unmanagedText({ spec }: Budget): string {
  return (
    `Pods selected by this PodDisruptionBudget (selector: ${selectorGoText(spec?.selector)}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  );
}

/** The status that refuses all evictions until a sync succeeds. */
function allowNothing({ status = {} }: Budget, error: unknown, { clock }: Deps): PodDisruptionBudgetStatus {
  const { conditions = [], observedGeneration = 0 } = status;
  const condition = {
    type: DISRUPTION_ALLOWED,
    status: "False",
    reason: "SyncFailed",
    message: errorMessage(error),
    ...(observedGeneration === 0 ? {} : { observedGeneration }),
  };
  return { ...status, disruptionsAllowed: 0, conditions: withStatusCondition(conditions, condition, clock.now()) };
}

async function writeStatus(
  budget: Budget,
  status: PodDisruptionBudgetStatus,
  { budgetsApi }: Deps,
  signal: AbortSignal,
): Promise<void> {
  await budgetsApi.updateStatus({ object: { ...budget, status } }, signal);
}
