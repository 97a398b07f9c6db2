// Syncs one claim: binds the volume that it names or that fits best, or requests a new one. A claim that was bound once
// keeps its volume or becomes Lost.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller.go, syncClaim.

import { PersistentVolumeClaims } from "#api/generated/resources/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import { errorMessage } from "#base/errors.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  hasAnnotation,
  SELECTED_NODE,
} from "#families/volumes/binding-annotations.ts";
import {
  bestVolume,
  type Claim,
  isReservedFor,
  refuseAttributesClass,
  type Volume,
  whyUnsuitable,
} from "#families/volumes/claim-matching.ts";
import { hasStoppedUsingVolumes, podsOfClaim } from "#families/volumes/pod-claims.ts";
import { compareText } from "#kit/order.ts";
import { eventCause } from "#kit/trace.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { classOfClaim, defaultClass, namesClass } from "#rules/storage-classes.ts";
import type { Deps } from "./deps.ts";
import { provision } from "./provisioning.ts";
import { bind, claimEvent, loseClaim, migrateClaim, setClaimPhase } from "./writes.ts";

export async function syncClaim(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const cached = deps.claims.lister.get(key);
  if (cached === undefined) forgetClaim(key, deps);
  else if (deps.knownClaims.store(cached)) {
    const claim = await migrateClaim(cached, deps, signal);
    if (hasAnnotation(claim, BIND_COMPLETED)) await syncBoundClaim(claim, deps, signal);
    else if (claim.spec?.volumeName) await syncChosenVolume(claim, claim.spec.volumeName, deps, signal);
    else await syncUnboundClaim(claim, deps, signal);
  }
  return done;
}

/** Queues the volume of a deleted claim. */
function forgetClaim(key: ObjectKey, deps: Deps): void {
  const claim = deps.knownClaims.get(key);
  if (claim === undefined) return;
  deps.knownClaims.delete(key);
  deps.metrics.times.forget(key);
  const volumeName = claim.spec?.volumeName;
  if (volumeName) deps.volumeQueue.add(volumeName, eventCause(PersistentVolumeClaims, "delete", claim));
}

/** Any matching volume may be used. */
async function syncUnboundClaim(claim: Claim, deps: Deps, signal: AbortSignal): Promise<void> {
  const isDelayed = waitsForConsumer(claim, deps);
  const volume = findVolume(claim, isDelayed, deps);
  if (volume !== undefined) {
    await bindFound(volume, claim, deps, signal);
    return;
  }
  if (await giveDefaultClass(claim, deps, signal)) return; // the write queues the claim again
  if (isDelayed && !hasAnnotation(claim, SELECTED_NODE)) reportWaiting(claim, deps);
  else if (classOfClaim(claim) !== "") {
    provision(claim, deps);
    return;
  } else {
    const message = "no persistent volumes available for this claim and no storage class is set";
    claimEvent(claim, "Normal", "FailedBinding", message, deps);
  }
  await setClaimPhase(claim, "Pending", undefined, deps, signal);
}

function findVolume(claim: Claim, isDelayed: boolean, deps: Deps): Volume | undefined {
  try {
    if (!deps.usesAttributesClasses) refuseAttributesClass(claim, deps.knownVolumes.values());
    return bestVolume(claim, deps.knownVolumes.values(), isDelayed);
  } catch (error) {
    throw new Error(`error finding PV for claim ${goQuote(objectKey(claim))}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** With a class of this binding mode the scheduler chooses the volume, or the node to provision it for. */
function waitsForConsumer(claim: Claim, deps: Deps): boolean {
  const name = classOfClaim(claim);
  const storageClass = name === "" ? undefined : deps.classes.lister.get(name);
  if (storageClass === undefined) return false;
  if (storageClass.volumeBindingMode === undefined) {
    throw new Error(`VolumeBindingMode not set for StorageClass ${goQuote(name)}`);
  }
  return storageClass.volumeBindingMode === "WaitForFirstConsumer";
}

async function bindFound(volume: Volume, claim: Claim, deps: Deps, signal: AbortSignal): Promise<void> {
  const { times } = deps.metrics;
  try {
    await bind(volume, claim, deps, signal);
  } catch (error) {
    times.fail(objectKey(claim));
    throw error;
  }
  times.succeed(objectKey(claim));
}

/** A claim without a storage class gets the default class, even if that class is younger than the claim. */
async function giveDefaultClass(claim: Claim, deps: Deps, signal: AbortSignal): Promise<boolean> {
  if (namesClass(claim)) return false;
  const storageClassName = defaultClass(deps.classes.lister.list())?.metadata.name;
  if (storageClassName === undefined) return false;
  const { lateClasses, lateClassErrors } = deps.metrics;
  lateClasses.inc();
  try {
    await deps.claimsApi.update({ object: { ...claim, spec: { ...claim.spec, storageClassName } } }, signal);
  } catch (error) {
    lateClassErrors.inc();
    const what = `can't update PersistentVolumeClaim[${goQuote(objectKey(claim))}]`;
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
  return true;
}

function reportWaiting(claim: Claim, deps: Deps): void {
  const names = podsOfClaim(deps.pods, objectKey(claim))
    .filter((pod) => !hasStoppedUsingVolumes(pod) && !pod.spec?.nodeName)
    .map(({ metadata }) => metadata.name)
    .sort(compareText);
  if (names.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    claimEvent(claim, "Normal", "WaitForFirstConsumer", message, deps);
  } else {
    const message = `waiting for pod${names.length > 1 ? "s" : ""} ${names.join(",")} to be scheduled`;
    claimEvent(claim, "Normal", "WaitForPodScheduled", message, deps);
  }
}

/** The volume was named by a user, or by a binding that was not completed. */
async function syncChosenVolume(claim: Claim, volumeName: string, deps: Deps, signal: AbortSignal): Promise<void> {
  const volume = deps.knownVolumes.get(volumeName);
  if (volume === undefined) {
    await setClaimPhase(claim, "Pending", undefined, deps, signal);
    return;
  }
  if (volume.spec?.claimRef === undefined) {
    const problem = whyUnsuitable(volume, claim, deps.usesAttributesClasses);
    if (problem === undefined) {
      await bind(volume, claim, deps, signal);
      return;
    }
    const message = `Cannot bind to requested volume ${goQuote(volumeName)}: ${problem}`;
    claimEvent(claim, "Warning", "VolumeMismatch", message, deps);
  } else if (isReservedFor(volume, claim)) {
    await bind(volume, claim, deps, signal);
    return;
  } else {
    const message = `volume ${goQuote(volumeName)} already bound to a different claim.`;
    claimEvent(claim, "Warning", "FailedBinding", message, deps);
    if (hasAnnotation(claim, BOUND_BY_CONTROLLER)) {
      const { namespace = "", name = "" } = volume.spec.claimRef;
      const what = `invalid binding of claim ${goQuote(objectKey(claim))} to volume ${goQuote(volumeName)}`;
      throw new Error(`${what}: volume already claimed by ${goQuote(`${namespace}/${name}`)}`);
    }
  }
  await setClaimPhase(claim, "Pending", undefined, deps, signal);
}

async function syncBoundClaim(claim: Claim, deps: Deps, signal: AbortSignal): Promise<void> {
  const volumeName = claim.spec?.volumeName;
  if (!volumeName) {
    const message = "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!";
    await loseClaim(claim, "ClaimLost", message, deps, signal);
    return;
  }
  const volume = deps.knownVolumes.get(volumeName);
  if (volume === undefined) {
    const message = "Bound claim has lost its PersistentVolume. Data on the volume is lost!";
    await loseClaim(claim, "ClaimLost", message, deps, signal);
    return;
  }
  const claimRef = volume.spec?.claimRef;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) await bind(volume, claim, deps, signal);
  else {
    const message = "Two claims are bound to the same volume, this one is bound incorrectly";
    await loseClaim(claim, "ClaimMisbound", message, deps, signal);
  }
}
