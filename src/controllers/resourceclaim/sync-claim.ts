// Syncs one claim: drops reservations of users that are gone or have ended; with the last one, removes the allocation
// and then the finalizer. Deletes a generated claim that its pod no longer uses.
// Upstream: pkg/controller/resourceclaim/controller.go, syncClaim.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ResourceClaimConsumerReference } from "#api/generated/types/resource-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Stored, StoredObject } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import type { ResourceClient } from "#client/client.ts";
import { isPodGroupReference } from "#families/devices/claims-of-users.ts";
import { tolerate } from "#kit/tolerate.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import type { Claim, Deps } from "./deps.ts";
import { owningPod } from "./generated-claim.ts";

const FINALIZER = "resource.kubernetes.io/delete-protection";

export async function syncClaim(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const claim = deps.claims.lister.get(key);
  if (claim === undefined) return done;
  const reservedFor = claim.status?.reservedFor ?? [];
  const remaining: ResourceClaimConsumerReference[] = [];
  for (const consumer of reservedFor) {
    if (await isConsumerKept(claim, consumer, deps, signal)) remaining.push(consumer);
  }
  if (remaining.length < reservedFor.length) await release(claim, remaining, deps, signal);
  else if (remaining.length === 0 && isProtected(claim) && claim.metadata.deletionTimestamp !== undefined) {
    await removeUnusedFinalizer(claim, deps, signal);
  }
  if (remaining.length === 0) await deleteUnused(claim, deps, signal);
  return done;
}

/** The pod's containers do not run, and never will again. */
export function isPodDone(pod: Stored<Pod>): boolean {
  const isUnscheduled = (pod.spec?.nodeName ?? "") === "";
  return isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && isUnscheduled);
}

/** Consumers of an unknown kind are kept. */
async function isConsumerKept(
  claim: Claim,
  consumer: ResourceClaimConsumerReference,
  deps: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  const key: ObjectKey = `${claim.metadata.namespace}/${consumer.name}`;
  if ((consumer.apiGroup ?? "") === "" && consumer.resource === "pods") {
    if (deps.deleted.has(consumer.uid)) return false;
    const pod = deps.pods.lister.get(key);
    if (pod === undefined) return await isOnServer(claim, consumer, deps.podsApi, signal);
    return pod.metadata.uid === consumer.uid && !isPodDone(pod);
  }
  if (deps.groups !== undefined && isPodGroupReference(consumer)) {
    if (deps.deleted.has(consumer.uid)) return false;
    const group = deps.groups.lister.get(key);
    if (group === undefined) return await isOnServer(claim, consumer, deps.groupsApi, signal);
    return group.metadata.uid === consumer.uid;
  }
  return true;
}

/** A consumer that is not in the cache may be too new for it. */
async function isOnServer<T extends StoredObject>(
  { metadata: { namespace } }: Claim,
  { name, uid }: ResourceClaimConsumerReference,
  api: ResourceClient<T>,
  signal: AbortSignal,
): Promise<boolean> {
  const live = await tolerate(api.get({ namespace, name }, signal), isNotFound);
  return live?.metadata.uid === uid;
}

/**
 * Drops reservations. An unused claim is deallocated, so that its next user may run elsewhere. The writes are updates,
 * so that a concurrent change makes them fail.
 */
async function release(
  claim: Claim,
  remaining: readonly ResourceClaimConsumerReference[],
  { claimsApi }: Deps,
  signal: AbortSignal,
): Promise<void> {
  const { allocation, reservedFor: _, ...others } = claim.status ?? {};
  const isFreed = remaining.length === 0 && isProtected(claim);
  const status = {
    ...others,
    ...(allocation === undefined || isFreed ? {} : { allocation }),
    ...(remaining.length === 0 ? {} : { reservedFor: remaining }),
  };
  const written = await claimsApi.updateStatus({ object: { ...claim, status } }, signal);
  if (isProtected(written) && written.status?.allocation === undefined) {
    await claimsApi.update({ object: withoutFinalizer(written) }, signal);
  }
}

/** A deleted claim without users may still be allocated. */
async function removeUnusedFinalizer(claim: Claim, { claimsApi }: Deps, signal: AbortSignal): Promise<void> {
  const { allocation, ...status } = claim.status ?? {};
  const freed =
    allocation === undefined ? claim : await claimsApi.updateStatus({ object: { ...claim, status } }, signal);
  await claimsApi.update({ object: withoutFinalizer(freed) }, signal);
}

function isProtected({ metadata }: Claim): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}

function withoutFinalizer(claim: Claim): Claim {
  const { finalizers = [], ...metadata } = claim.metadata;
  const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
  return { ...claim, metadata: { ...metadata, ...(others.length === 0 ? {} : { finalizers: others }) } };
}

/** The garbage collector would delete it with the pod, but an ended pod may exist for a long time. */
async function deleteUnused(claim: Claim, { pods, claimsApi }: Deps, signal: AbortSignal): Promise<void> {
  const owner = owningPod(claim);
  const pod = owner && pods.lister.get(`${claim.metadata.namespace}/${owner.name}`);
  if (owner === undefined || pod === undefined || (pod.metadata.uid === owner.uid && !isPodDone(pod))) return;
  const { namespace, name } = claim.metadata;
  try {
    await claimsApi.delete({ namespace, name }, signal);
  } catch (error) {
    throw new Error(`delete unused generated claim ${objectKey(claim)}: ${errorMessage(error)}`, { cause: error });
  }
}
