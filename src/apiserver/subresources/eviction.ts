// Evicting a pod: a delete that its disruption budget must allow.
// Upstream: pkg/registry/core/pod/storage/eviction.go

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { PodDisruptionBudget } from "#api/generated/types/policy-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { withResourceVersion } from "#api/object-meta.ts";
import {
  ApiError,
  bareFailure,
  isConflict,
  newBadRequest,
  newForbidden,
  newTooManyRequests,
} from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";
import { findObject } from "../addressed-object.ts";
import { internalCall } from "../admission/internal-call.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { recordUpdate } from "../managed-fields.ts";
import { postedRules } from "../negotiation-rules.ts";
import { respondWithValue } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { deleteObject, isDryRun } from "../write/delete-object.ts";
import { checkDeleteOptions } from "../write-options.ts";
import { created, readCreated } from "./created-body.ts";
import type { SubresourceHandler } from "./subresource.ts";

const EVICTION = { group: "policy", version: "v1", kind: "Eviction", alsoReads: "policy/v1beta1" };
const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget.";
const DISRUPTED_PODS_MAX = 2000;

export const evictPod: SubresourceHandler = async (core, call, signal) => {
  const representation = negotiate(call.context, postedRules(call));
  const { object, options } = await readCreated(core, call, EVICTION, signal);
  const eviction = object as KubeObject & { deleteOptions?: DeleteOptions };
  if ((eviction.metadata?.name ?? "") !== call.name) {
    throw newBadRequest("name in URL does not match name in Eviction object");
  }
  const given = eviction.deleteOptions ?? {};
  const deleteOptions = options.dryRun && !isDryRun(given) ? { ...given, dryRun: ["All"] } : given;
  checkDeleteOptions(deleteOptions);
  const pod = findObject(core, call);
  if (needsNoBudget(pod.object as Pod)) {
    const isFinished = ["Succeeded", "Failed"].includes(phaseOf(pod.object)) || isDeleting(pod.object);
    await evict(core, call, pod, isFinished ? deleteOptions : atVersion(deleteOptions, pod), signal);
    return respondWithValue(call.context, representation, created, 201);
  }
  const budgets = budgetsOf(core, pod.object);
  if (budgets.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    return respondWithValue(call.context, representation, bareFailure(500, "", message).status, 201);
  }
  const [budget] = budgets;
  const isUnhealthyAllowed =
    budget !== undefined && allowsUnhealthy(budget.object as PodDisruptionBudget, pod.object as Pod);
  if (budget !== undefined && !isUnhealthyAllowed) checkAndDecrement(core, call, budget, isDryRun(deleteOptions));
  try {
    await evict(core, call, pod, isUnhealthyAllowed ? atVersion(deleteOptions, pod) : deleteOptions, signal);
  } catch (error) {
    if (!isConflict(error) || !isUnhealthyAllowed || deleteOptions.preconditions?.resourceVersion !== undefined)
      throw error;
    throw stillProcessed(budget);
  }
  return respondWithValue(call.context, representation, created, 201);
};

const phaseOf = (pod: KubeObject): string => (pod as Pod).status?.phase ?? "";
const isDeleting = (pod: KubeObject): boolean => pod.metadata?.deletionTimestamp !== undefined;

/** Pods that serve nobody may go at any time. */
function needsNoBudget(pod: Pod): boolean {
  return ["Succeeded", "Failed", "Pending"].includes(phaseOf(pod)) || isDeleting(pod);
}

/** The delete counts only for the pod as it was looked at. */
function atVersion(options: DeleteOptions, { object }: StoredVersion): DeleteOptions {
  if (options.preconditions?.resourceVersion !== undefined) return options;
  const resourceVersion = object.metadata?.resourceVersion ?? "";
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

/** Marks the pod as disrupted, then deletes it. */
async function evict(
  core: ServerCore,
  call: ResourceCall,
  pod: StoredVersion,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<void> {
  let effective = options;
  if (!isDryRun(options)) {
    const { status = {}, ...rest } = pod.object as Pod;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    };
    const marked = { ...rest, status: updatePodCondition(status, condition, call.context.receivedMs) } as KubeObject;
    const written = core.tableOf(call.endpoint.row).update(pod, (revision) => withResourceVersion(marked, revision));
    const { preconditions } = options;
    if (
      preconditions?.resourceVersion !== undefined &&
      preconditions.resourceVersion === pod.object.metadata?.resourceVersion
    ) {
      const resourceVersion = written?.object.metadata?.resourceVersion ?? preconditions.resourceVersion;
      effective = { ...options, preconditions: { ...preconditions, resourceVersion } };
    }
  }
  await deleteObject(core, call, effective, signal);
}

function budgetsOf(core: ServerCore, pod: KubeObject): StoredVersion[] {
  const { labels = {}, namespace = "" } = pod.metadata ?? {};
  const row = core.registry.row("poddisruptionbudgets.policy");
  if (row === undefined || Object.keys(labels).length === 0) return [];
  return [...core.tableOf(row).scan({ prefix: `${namespace}/` })].filter(({ object }) =>
    selectorFromObject((object as PodDisruptionBudget).spec?.selector).matches(labels),
  );
}

function allowsUnhealthy({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function checkAndDecrement(core: ServerCore, call: ResourceCall, stored: StoredVersion, dryRun: boolean): void {
  const budget = stored.object as PodDisruptionBudget & KubeObject;
  const { metadata = {} } = budget;
  const status = budget.status;
  const { observedGeneration = 0, disruptionsAllowed = 0, disruptedPods = {} } = status ?? {};
  const what = { group: "policy", resource: "poddisruptionbudget" };
  const name = metadata.name ?? "";
  if (observedGeneration < (metadata.generation ?? 0)) throw stillProcessed(stored);
  if (disruptionsAllowed < 0) throw newForbidden(what, name, "pdb disruptions allowed is negative");
  if (Object.keys(disruptedPods).length > DISRUPTED_PODS_MAX) {
    const why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller";
    throw newForbidden(what, name, why);
  }
  if (disruptionsAllowed === 0) throw withCause(newTooManyRequests(VIOLATES, 0), whyNot(budget, name));
  if (dryRun) return;
  const row = core.registry.row("poddisruptionbudgets.policy");
  if (row === undefined) return;
  const left = disruptionsAllowed - 1;
  const now = formatTime(call.context.receivedMs);
  const conditions = left === 0 ? insufficient(budget, now) : status?.conditions;
  const decremented = {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...disruptedPods, [call.name]: now },
      ...(conditions === undefined ? {} : { conditions }),
    },
  } as KubeObject;
  const { namespace, context } = call;
  const target = { namespace, name, subresource: "status", now: context.receivedMs };
  const written = recordUpdate(core, internalCall(core, row, target), budget, decremented, "kube-apiserver");
  core.tableOf(row).update(stored, (revision) => withResourceVersion(written, revision));
}

/** Upstream: k8s.io/component-helpers/apps/poddisruptionbudget, UpdateDisruptionAllowedCondition */
function insufficient({ status, metadata }: PodDisruptionBudget, now: string): readonly unknown[] {
  const conditions = status?.conditions ?? [];
  const old = conditions.find(({ type }) => type === "DisruptionAllowed");
  const condition = {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration: metadata?.generation ?? 0,
    lastTransitionTime: old?.status === "False" ? old.lastTransitionTime : now,
    reason: "InsufficientPods",
    message: "",
  };
  return [...conditions.filter(({ type }) => type !== "DisruptionAllowed"), condition];
}

function whyNot({ status }: PodDisruptionBudget, name: string): string {
  const condition = status?.conditions?.find(({ type }) => type === "DisruptionAllowed");
  const isRefused = condition?.status === "False" && condition.message !== "";
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  const budget = `The disruption budget ${name}`;
  if (isRefused && condition.reason === "SyncFailed") {
    return `${budget} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  if (currentHealthy <= desiredHealthy)
    return `${budget} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  if (isRefused) return `${budget} does not allow evicting pods currently (${condition.reason}): ${condition.message}`;
  return `${budget} does not allow evicting pods currently`;
}

function stillProcessed({ object }: StoredVersion): ApiError {
  const message = `The disruption budget ${object.metadata?.name} is still being processed by the server.`;
  return withCause(newTooManyRequests(VIOLATES, 10), message);
}

function withCause({ status }: ApiError, message: string): ApiError {
  return new ApiError({ ...status, details: { ...status.details, causes: [{ reason: "DisruptionBudget", message }] } });
}
