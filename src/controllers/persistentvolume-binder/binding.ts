// The writes that bind a volume and a claim, and those that undo it. Undefined: no write is needed.
// Upstream: pkg/controller/volume/persistentvolume, bindClaimToVolume, unbindVolume, updateClaimStatus.

import type { ObjectReference, PersistentVolumeClaimStatus } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { ObjectKey } from "#api/object.ts";
import { parseQuantity, quantityFromWire } from "#api/quantity-parser.ts";
import {
  annotated,
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  hasAnnotation,
  PRE_RESIZE_CAPACITY,
  withoutAnnotation,
} from "#families/volumes/binding-annotations.ts";
import { type Claim, capacityOf, type Volume } from "#families/volumes/claim-matching.ts";

export type ClaimPhase = "Pending" | "Bound" | "Lost";
export type VolumePhase = "Available" | "Bound" | "Released" | "Failed";

export function claimKeyOf({ namespace = "", name = "" }: ObjectReference): ObjectKey {
  return `${namespace}/${name}`;
}

const yes = (name: string): Readonly<Record<string, string>> => ({ [name]: "yes" });

/** The claim bound to the volume. If the user chose the volume, the claim is not marked as bound by the controller. */
export function boundClaim(claim: Claim, { metadata: { name } }: Volume): Claim | undefined {
  const refers = claim.spec?.volumeName === name;
  if (refers && hasAnnotation(claim, BIND_COMPLETED)) return undefined;
  const completed = hasAnnotation(claim, BIND_COMPLETED) ? claim : annotated(claim, yes(BIND_COMPLETED));
  if (refers) return completed;
  const marked = hasAnnotation(claim, BOUND_BY_CONTROLLER) ? completed : annotated(completed, yes(BOUND_BY_CONTROLLER));
  return { ...marked, spec: { ...marked.spec, volumeName: name } };
}

/** The volume without the claim. If a user reserved it for the claim, it stays reserved for any claim of that name. */
export function unboundVolume(volume: Volume): Volume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (hasAnnotation(volume, BOUND_BY_CONTROLLER)) {
    return { ...withoutAnnotation(volume, BOUND_BY_CONTROLLER), spec };
  }
  const { uid: _, ...reserved } = claimRef ?? {};
  return { ...volume, spec: { ...spec, claimRef: reserved } };
}

/**
 * The status of a claim that enters the phase, with this volume or none. usesAttributesClasses: the gate
 * VolumeAttributesClass.
 */
export function claimStatus(
  claim: Claim,
  phase: ClaimPhase,
  volume: Volume | undefined,
  usesAttributesClasses: boolean,
): PersistentVolumeClaimStatus | undefined {
  const known = claim.status ?? {};
  const entersPhase = known.phase !== phase;
  if (volume === undefined) {
    const { accessModes, capacity, currentVolumeAttributesClassName, ...rest } = known;
    const isReset = [accessModes, capacity, currentVolumeAttributesClassName].every((value) => value === undefined);
    return isReset && !entersPhase ? undefined : { ...rest, phase };
  }
  const modes = volume.spec?.accessModes;
  const hasModes = JSON.stringify(known.accessModes) === JSON.stringify(modes);
  if (!entersPhase && hasModes) return undefined;
  const attributesClass = volume.spec?.volumeAttributesClassName;
  const { accessModes: _, currentVolumeAttributesClassName: currentClass, ...rest } = known;
  const takesClass = usesAttributesClasses && known.phase === "Pending" && phase === "Bound";
  const newClass = takesClass ? attributesClass : currentClass;
  return {
    ...rest,
    phase,
    ...(modes === undefined ? {} : { accessModes: modes }),
    ...(newClass === undefined ? {} : { currentVolumeAttributesClassName: newClass }),
    // A bound claim may be smaller than its volume while a node grows the file system.
    ...(entersPhase ? { capacity: newCapacity(claim, volume) } : {}),
  };
}

function newCapacity(claim: Claim, volume: Volume): Record<string, string> {
  const known = claim.status?.capacity;
  const capacity = volume.spec?.capacity;
  const size = capacity?.storage;
  if (capacity === undefined || size === undefined) {
    throw new Error(`PersistentVolume ${goQuote(volume.metadata.name)} is without a storage capacity`);
  }
  const before = volume.metadata.annotations?.[PRE_RESIZE_CAPACITY];
  if (before !== undefined) return { ...known, storage: isQuantity(before) ? before : size };
  if (known?.storage !== undefined && quantityFromWire(known.storage).equals(capacityOf(volume))) return known;
  return capacity;
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
