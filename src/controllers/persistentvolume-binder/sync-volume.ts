// Syncs one volume: available, reserved, bound, or released and reclaimed.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller.go, syncVolume.

import { PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { ObjectReference } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import { isNotFound } from "#api/status-error.ts";
import { hasAnnotation, PROVISIONED_BY } from "#families/volumes/binding-annotations.ts";
import { type Claim, differsInMode, type Volume } from "#families/volumes/claim-matching.ts";
import { eventCause } from "#kit/trace.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { claimKeyOf } from "./binding.ts";
import type { Deps } from "./deps.ts";
import { reclaim } from "./reclaim.ts";
import { claimEvent, migrateVolume, setVolumePhase, unbind, volumeEvent } from "./writes.ts";

export async function syncVolume(name: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const cached = deps.volumes.lister.get(name);
  if (cached === undefined) forgetVolume(name, deps);
  else if (deps.knownVolumes.store(cached)) {
    const volume = await migrateVolume(cached, deps, signal);
    const claimRef = volume.spec?.claimRef;
    if (claimRef?.uid) await syncClaimedVolume(volume, claimRef, deps, signal);
    else await setVolumePhase(volume, "Available", "", deps, signal);
  }
  return done;
}

/** Queues the claim of a deleted volume. */
function forgetVolume(name: ObjectKey, deps: Deps): void {
  const volume = deps.knownVolumes.get(name);
  if (volume === undefined) return;
  deps.knownVolumes.delete(name);
  deps.metrics.times.succeed(name);
  const claimRef = volume.spec?.claimRef;
  if (claimRef !== undefined)
    deps.claimQueue.add(claimKeyOf(claimRef), eventCause(PersistentVolumes, "delete", volume));
}

async function syncClaimedVolume(
  volume: Volume,
  claimRef: ObjectReference,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  const claim = await findClaim(volume, claimRef, deps, signal);
  if (claim === undefined) await release(volume, deps, signal);
  else if (!claim.spec?.volumeName) remindClaim(volume, claim, deps);
  else if (claim.spec.volumeName === volume.metadata.name) await setVolumePhase(volume, "Bound", "", deps, signal);
  else if (hasAnnotation(volume, PROVISIONED_BY) && volume.spec?.persistentVolumeReclaimPolicy === "Delete") {
    await release(volume, deps, signal); // the volume was provisioned for the claim, which has another one
  } else await unbind(volume, deps, signal);
}

/**
 * The claim that the volume refers to; undefined when it is gone. The cache alone is not enough to release a volume:
 * the claim may be newer than the cache.
 */
async function findClaim(
  { status }: Volume,
  claimRef: ObjectReference,
  deps: Deps,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  const key = claimKeyOf(claimRef);
  const isReleased = status?.phase === "Released" || status?.phase === "Failed";
  const known = deps.knownClaims.get(key) ?? (isReleased ? undefined : deps.claims.lister.get(key));
  if (known?.metadata.uid === claimRef.uid) return known;
  if (known === undefined && isReleased) return undefined;
  const live = await readClaim(claimRef, deps, signal);
  return live?.metadata.uid === claimRef.uid ? live : undefined;
}

async function readClaim(
  { namespace = "", name = "" }: ObjectReference,
  deps: Deps,
  signal: AbortSignal,
): Promise<Claim | undefined> {
  try {
    return await deps.claimsApi.get({ namespace, name }, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The phase Failed stays visible while reclaiming is retried. */
async function release(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  const hasFailed = volume.status?.phase === "Failed";
  const released = hasFailed ? volume : await setVolumePhase(volume, "Released", "", deps, signal);
  await reclaim(released, deps, signal);
}

/** Queues the claim, which does not know of the volume yet. */
function remindClaim(volume: Volume, claim: Claim, deps: Deps): void {
  if (!differsInMode(claim, volume)) {
    deps.claimQueue.add(objectKey(claim), eventCause(PersistentVolumes, "update", volume));
    return;
  }
  const end = "due to incompatible volumeMode.";
  const [volumeName, claimName] = [goQuote(volume.metadata.name), goQuote(claim.metadata.name)];
  const eventMessage = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} ${end}`;
  volumeEvent(volume, "Warning", "VolumeMismatch", eventMessage, deps);
  const message = `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim ${end}`;
  claimEvent(claim, "Warning", "VolumeMismatch", message, deps);
}
