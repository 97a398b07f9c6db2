// Evictions: deletes that the pod's disruption budget must allow.
// Upstream: pkg/registry/core/pod/storage/eviction.go

import { ValueError } from "#api/errors.ts";
import * as field from "#api/field-error.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { PodDisruptionBudget } from "#api/generated/types/policy-v1.ts";
import { selectorFromObject } from "#api/label-selector.ts";
import type { DeleteOptions } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import {
  ApiError,
  bareFailure,
  isConflict,
  newBadRequest,
  newConflict,
  newForbidden,
  newInvalid,
  newTooManyRequests,
} from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { KindCall, KindServer, Posted, PostedBody, PostedCall, StoredObject } from "#kinds/hooks.ts";
import { created } from "#kinds/parts/created.ts";
import { checkDeleteOptions, isDryRun } from "#kinds/parts/delete-options.ts";
import { withDisruptionAllowed } from "#rules/disruption-budget.ts";
import { updatePodCondition } from "#rules/pod-conditions.ts";

const EVICTION: PostedBody = { group: "policy", version: "v1", kind: "Eviction", alsoReads: "policy/v1beta1" };
const BUDGETS = "poddisruptionbudgets.policy";
const VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget.";
const DISRUPTED_PODS_MAX = 2000;

export const podEviction = (server: KindServer): Posted & { readonly body: PostedBody } => ({
  body: EVICTION,
  async answer(call, object, signal) {
    const eviction = object as KubeObject & { deleteOptions?: DeleteOptions };
    if ((eviction.metadata?.name ?? "") !== call.name) {
      throw newBadRequest("name in URL does not match name in Eviction object");
    }
    const given = eviction.deleteOptions ?? {};
    if (given.ignoreStoreReadErrorWithClusterBreakingPotential) throw cannotIgnoreReadErrors(call.name);
    const options = call.dryRun && !isDryRun(given) ? { ...given, dryRun: ["All"] } : given;
    checkDeleteOptions(options);
    const pod = server.objects("pods").find(call.namespace, call.name);
    if (needsNoBudget(pod.object as Pod)) {
      const isFinished = ["Succeeded", "Failed"].includes(phaseOf(pod.object)) || isDeleting(pod.object);
      await evict(server, call, pod, isFinished ? options : atVersion(options, pod), signal);
      return created;
    }
    const budgets = budgetsOf(server, pod.object);
    if (budgets.length > 1) {
      const message =
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
      throw bareFailure(500, "", message);
    }
    const [budget] = budgets;
    const isUnhealthyAllowed =
      budget !== undefined && allowsUnhealthy(budget.object as PodDisruptionBudget, pod.object as Pod);
    if (budget !== undefined && !isUnhealthyAllowed) checkAndDecrement(server, call, budget, isDryRun(options));
    try {
      await evict(server, call, pod, isUnhealthyAllowed ? onlyAtVersion(options, pod) : options, signal);
    } catch (error) {
      if (!isConflict(error) || !isUnhealthyAllowed || options.preconditions?.resourceVersion !== undefined)
        throw error;
      throw stillProcessed(budget);
    }
    return created;
  },
});

const phaseOf = (pod: KubeObject): string => (pod as Pod).status?.phase ?? "";
const isDeleting = (pod: KubeObject): boolean => pod.metadata?.deletionTimestamp !== undefined;

/** Pending, finished and terminating pods are evicted without regard to their budget. */
function needsNoBudget(pod: Pod): boolean {
  return ["Succeeded", "Failed", "Pending"].includes(phaseOf(pod)) || isDeleting(pod);
}

/** The delete applies only to this version of the pod, unless the client gave a resourceVersion. */
function atVersion(options: DeleteOptions, pod: StoredObject): DeleteOptions {
  return options.preconditions?.resourceVersion === undefined ? onlyAtVersion(options, pod) : options;
}

function onlyAtVersion(options: DeleteOptions, { object }: StoredObject): DeleteOptions {
  const resourceVersion = object.metadata?.resourceVersion ?? "";
  return { ...options, preconditions: { ...options.preconditions, resourceVersion } };
}

/** Marks the pod as disrupted, then deletes it. */
async function evict(
  server: KindServer,
  call: PostedCall,
  pod: StoredObject,
  options: DeleteOptions,
  signal: AbortSignal,
): Promise<void> {
  let effective = options;
  if (!isDryRun(options)) {
    checkPreconditions(pod.object, options);
    const { status = {}, ...rest } = pod.object as Pod;
    const condition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    };
    const marked = { ...rest, status: updatePodCondition(status, condition, call.now) } as KubeObject;
    const written = server.objects("pods").update(pod, marked);
    const { preconditions } = options;
    if (
      preconditions?.resourceVersion !== undefined &&
      preconditions.resourceVersion === pod.object.metadata?.resourceVersion
    ) {
      const resourceVersion = written?.object.metadata?.resourceVersion ?? preconditions.resourceVersion;
      effective = { ...options, preconditions: { ...preconditions, resourceVersion } };
    }
  }
  await call.deleteAddressed(effective, signal);
}

/** Upstream: addConditionAndDeletePod, which names the kind and not the resource */
function checkPreconditions({ metadata = {} }: KubeObject, { preconditions = {} }: DeleteOptions): void {
  const refuse = (what: string, given: string, recorded: string, why: string): never => {
    const mismatch = `the ${what} in the precondition (${given}) does not match the ${what} in record (${recorded})`;
    throw newConflict({ group: "", resource: "Pod" }, metadata.name ?? "", `${mismatch}. ${why}`);
  };
  const { uid = "", resourceVersion = "" } = preconditions;
  const recordedUid = metadata.uid ?? "";
  if (uid !== "" && uid !== recordedUid) {
    refuse("UID", uid, recordedUid, "The object might have been deleted and then recreated");
  }
  const recordedVersion = metadata.resourceVersion ?? "";
  if (resourceVersion !== "" && resourceVersion !== recordedVersion) {
    refuse("ResourceVersion", resourceVersion, recordedVersion, "The object might have been modified");
  }
}

/** A budget with an invalid selector selects no pods. */
function budgetsOf(server: KindServer, pod: KubeObject): StoredObject[] {
  const { labels = {}, namespace = "" } = pod.metadata ?? {};
  return [...server.objects(BUDGETS).list(namespace)].filter(({ object }) => {
    try {
      return selectorFromObject((object as PodDisruptionBudget).spec?.selector).matches(labels);
    } catch (error) {
      if (error instanceof ValueError) return false;
      throw error;
    }
  });
}

function allowsUnhealthy({ spec, status }: PodDisruptionBudget, pod: Pod): boolean {
  const isReady = pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function checkAndDecrement(server: KindServer, call: KindCall, stored: StoredObject, dryRun: boolean): void {
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
  const left = disruptionsAllowed - 1;
  const counted = {
    ...status,
    disruptionsAllowed: left,
    disruptedPods: { ...disruptedPods, [call.name]: formatTime(call.now) },
  };
  const decremented = {
    ...budget,
    status: left === 0 ? withDisruptionAllowed(counted, call.now) : counted,
  } as KubeObject;
  server.objects(BUDGETS).updateAsServer(stored, decremented, "status", call.now);
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

function cannotIgnoreReadErrors(name: string): ApiError {
  const path = field.newPath("deleteOptions").child("ignoreStoreReadErrorWithClusterBreakingPotential");
  const detail = "can not be set for pod eviction, try after removing the option";
  return newInvalid({ group: EVICTION.group, kind: EVICTION.kind }, name, [field.invalid(path, true, detail)]);
}

function stillProcessed({ object }: StoredObject): ApiError {
  const message = `The disruption budget ${object.metadata?.name} is still being processed by the server.`;
  return withCause(newTooManyRequests(VIOLATES, 10), message);
}

function withCause({ status }: ApiError, message: string): ApiError {
  return new ApiError({ ...status, details: { ...status.details, causes: [{ reason: "DisruptionBudget", message }] } });
}
