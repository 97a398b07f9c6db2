// Pods with the finalizer that no sync will count: their Job is gone or finished, or they have none.
// Upstream: pkg/controller/job/job_controller.go, syncOrphanPod, handleSingleOrphanPod.

import { ValueError } from "#api/errors.ts";
import type { Selector } from "#api/label-selector.ts";
import { ref } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { isNotFound } from "#api/status-error.ts";
import type { OwnerLookup } from "#kit/owner-lookup.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { hasFinalizer, REMOVAL } from "./finalizers.ts";
import { type Deps, isFinished, type Job, otherManager, type StoredPod } from "./model.ts";

/** One pod, or all pods that a Job's selector matches. */
export type OrphanKey =
  | { readonly namespace: string; readonly name: string }
  | { readonly namespace: string; readonly selector: Selector };

export function orphanText(key: OrphanKey): string {
  return "name" in key ? `${key.namespace}/${key.name}` : `${key.namespace}?${key.selector}`;
}

export function podsOf(job: Job, selectorOf: Deps["selectorOf"]): OrphanKey | undefined {
  const selector = selectorOf(job);
  return selector instanceof ValueError ? undefined : { namespace: job.metadata.namespace, selector };
}

export async function syncOrphans(
  key: OrphanKey,
  lookup: OwnerLookup<Job>,
  deps: Deps,
  signal: AbortSignal,
): Promise<SyncResult> {
  if ("name" in key) {
    const pod = deps.pods.lister.get(`${key.namespace}/${key.name}`);
    if (pod !== undefined) await free(pod, lookup, deps, signal);
    return done;
  }
  for (const pod of deps.pods.lister.list(key.selector, key.namespace)) {
    try {
      await free(pod, lookup, deps, signal);
    } catch (error) {
      deps.log.error(error, "syncing orphan pod failed", { pod: ref(pod) });
    }
  }
  return done;
}

async function free(pod: StoredPod, lookup: OwnerLookup<Job>, deps: Deps, signal: AbortSignal): Promise<void> {
  const controller = getControllerOf(pod);
  if (controller !== undefined) {
    if (controller.kind !== "Job" || controller.apiVersion !== "batch/v1") return;
    const job = lookup.controllerOf(pod);
    if (job !== undefined && (otherManager(job) !== undefined || !isFinished(job))) return;
  }
  if (hasFinalizer(pod)) await tolerate(deps.podControl.patchPod(pod, REMOVAL, signal), isNotFound);
}
