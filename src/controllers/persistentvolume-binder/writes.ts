// The writes of the binder. The server's answer goes into the binder's memory at once. Binding writes the volume before
// the claim: if the program ends in between, the next sync finds the volume and continues.
// Upstream: pkg/controller/volume/persistentvolume/pv_controller.go, bind, unbindVolume, update….

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import { errorMessage } from "#base/errors.ts";
import { boundVolume } from "#families/volumes/bound-volume.ts";
import type { Claim, Volume } from "#families/volumes/claim-matching.ts";
import { type EventType, referenceTo } from "#kit/events/recorder.ts";
import { boundClaim, type ClaimPhase, claimStatus, unboundVolume, type VolumePhase } from "./binding.ts";
import type { Deps } from "./deps.ts";
import { markedClaim, markedVolume } from "./migration-marks.ts";

export function claimEvent(claim: Claim, type: EventType, reason: string, message: string, deps: Deps): void {
  deps.recorder.event(referenceTo(claim, PersistentVolumeClaims), type, reason, message);
}

export function volumeEvent(volume: Volume, type: EventType, reason: string, message: string, deps: Deps): void {
  deps.recorder.event(referenceTo(volume, PersistentVolumes), type, reason, message);
}

export async function putClaim(object: Claim, deps: Deps, signal: AbortSignal): Promise<Claim> {
  const claim = await deps.claimsApi.update({ object }, signal);
  deps.knownClaims.store(claim);
  return claim;
}

export async function putVolume(object: Volume, deps: Deps, signal: AbortSignal): Promise<Volume> {
  const volume = await deps.volumesApi.update({ object }, signal);
  deps.knownVolumes.store(volume);
  return volume;
}

/** Adds the annotation of the claim's CSI driver. */
export async function migrateClaim(claim: Claim, deps: Deps, signal: AbortSignal): Promise<Claim> {
  const marked = markedClaim(claim);
  if (marked === claim) return claim;
  const what = "persistent Volume Controller can't anneal migration annotations";
  return await explained(what, putClaim(marked, deps, signal));
}

/** Adds the annotation of the volume's CSI driver and the finalizers for its reclaim policy. */
export async function migrateVolume(volume: Volume, deps: Deps, signal: AbortSignal): Promise<Volume> {
  const marked = markedVolume(volume);
  if (marked === volume) return volume;
  const what = "persistent Volume Controller can't anneal migration annotations or finalizer";
  return await explained(what, putVolume(marked, deps, signal));
}

async function explained<T>(what: string, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Binds both to each other, as far as they are not bound yet. */
export async function bind(volume: Volume, claim: Claim, deps: Deps, signal: AbortSignal): Promise<void> {
  const withClaim = boundVolume(volume, claim);
  const spoken = withClaim === undefined ? volume : await putVolume(withClaim, deps, signal);
  const bound = await setVolumePhase(spoken, "Bound", "", deps, signal);
  const withVolume = boundClaim(claim, bound);
  const complete = withVolume === undefined ? claim : await putClaim(withVolume, deps, signal);
  await setClaimPhase(complete, "Bound", bound, deps, signal);
}

/** Removes the claim from the volume. */
export async function unbind(volume: Volume, deps: Deps, signal: AbortSignal): Promise<void> {
  const unbound = await putVolume(unboundVolume(volume), deps, signal);
  await setVolumePhase(unbound, "Available", "", deps, signal);
}

export async function setClaimPhase(
  claim: Claim,
  phase: ClaimPhase,
  volume: Volume | undefined,
  deps: Deps,
  signal: AbortSignal,
): Promise<Claim> {
  const status = claimStatus(claim, phase, volume, deps.usesAttributesClasses);
  if (status === undefined) return claim;
  const written = await deps.claimsApi.updateStatus({ object: { ...claim, status } }, signal);
  deps.knownClaims.store(written);
  return written;
}

export async function setVolumePhase(
  volume: Volume,
  phase: VolumePhase,
  message: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<Volume> {
  if (volume.status?.phase === phase) return volume;
  const { message: _, ...rest } = volume.status ?? {};
  const status = { ...rest, phase, ...(message === "" ? {} : { message }) };
  const written = await deps.volumesApi.updateStatus({ object: { ...volume, status } }, signal);
  deps.knownVolumes.store(written);
  return written;
}

/** The claim has lost its volume permanently. The event is recorded only with the change. */
export async function loseClaim(
  claim: Claim,
  reason: string,
  message: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (claim.status?.phase === "Lost") return;
  claimEvent(await setClaimPhase(claim, "Lost", undefined, deps, signal), "Warning", reason, message, deps);
}

/** The event is recorded only with the change. */
export async function failVolume(
  volume: Volume,
  reason: string,
  message: string,
  deps: Deps,
  signal: AbortSignal,
): Promise<void> {
  if (volume.status?.phase === "Failed") return;
  volumeEvent(await setVolumePhase(volume, "Failed", message, deps, signal), "Warning", reason, message, deps);
}
