// Which volume a claim gets. Volumes are grouped by their set of access modes. Of the sets with all modes that the
// claim wants, the smallest come first. Within a set a volume that is reserved for the claim wins, then the smallest
// volume that is large enough.
// Upstream: component-helpers/storage/volume/pv_helpers.go, FindMatchingVolume; pkg/controller/volume/persistentvolume,
// index.go and checkVolumeSatisfyClaim.

import type { PersistentVolume, PersistentVolumeClaim } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { type Selector, selectorFromObject } from "#api/label-selector.ts";
import { objectKey } from "#api/object.ts";
import type { Quantity } from "#api/quantity.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import { compareText } from "#kit/order.ts";
import { classOfClaim, classOfVolume } from "#rules/storage-classes.ts";

export type Volume = StoredCluster<PersistentVolume>;
export type Claim = Stored<PersistentVolumeClaim>;

const MODES = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

/**
 * The volume that the claim is bound to or gets; undefined when none fits. isDelayed: the scheduler chooses among free
 * volumes, so only reserved ones count.
 */
export function bestVolume(claim: Claim, volumes: Iterable<Volume>, isDelayed: boolean): Volume | undefined {
  const sets = Map.groupBy(openTo(claim, volumes), modesOf);
  const wanted = claim.spec?.accessModes ?? [];
  const candidates = [...sets.keys()]
    .filter((modes) => wanted.every((mode) => modes.split(",").includes(mode)))
    .sort((a, b) => a.split(",").length - b.split(",").length || compareText(a, b));
  for (const modes of candidates) {
    const volume = bestOfSet(claim, sets.get(modes) ?? [], isDelayed);
    if (volume !== undefined) return volume;
  }
  return undefined;
}

/**
 * Throws for a claim that requests an attributes class and could have a volume with its access modes. For a program
 * without the gate VolumeAttributesClass.
 */
export function refuseAttributesClass(claim: Claim, volumes: Iterable<Volume>): void {
  if (attributesClassOf(claim) === "") return;
  for (const volume of volumes) {
    if (!hasModesFor(volume, claim)) continue;
    const what = `unsupported volumeAttributesClassName is set on claim ${objectKey(claim)}`;
    throw new Error(`${what} when the feature-gate VolumeAttributesClass is disabled`);
  }
}

/** Volumes of other claims are left out first, because in large clusters they are nearly all. */
function* openTo(claim: Claim, volumes: Iterable<Volume>): Generator<Volume> {
  for (const volume of volumes) if (isOpenTo(volume, claim)) yield volume;
}

/** The set of access modes as text; unknown modes are left out. */
function modesOf({ spec }: Volume): string {
  return MODES.filter((mode) => spec?.accessModes?.includes(mode)).join(",");
}

/** Where upstream's choice depends on the order of a map, the first by name wins. */
function bestOfSet(claim: Claim, volumes: readonly Volume[], isDelayed: boolean): Volume | undefined {
  const selector = selectorOf(claim);
  const wanted = requestOf(claim);
  const fitting = volumes.filter((volume) => fits(volume, claim, wanted));
  const reserved = fitting.filter((volume) => isReservedFor(volume, claim));
  if (reserved.length > 0)
    return reserved.reduce((a, b) => (compareText(a.metadata.name, b.metadata.name) < 0 ? a : b));
  if (isDelayed) return undefined;
  const free = fitting.filter((volume) => isFree(volume, claim, selector));
  return free.length === 0 ? undefined : free.reduce(smaller);
}

function selectorOf(claim: Claim): Selector | undefined {
  if (claim.spec?.selector === undefined) return undefined;
  try {
    return selectorFromObject(claim.spec.selector);
  } catch (error) {
    const what = `error creating internal label selector for claim: ${objectKey(claim)}`;
    throw new Error(`${what}: ${errorMessage(error)}`, { cause: error });
  }
}

/** The requirements on both reserved and free volumes. */
function fits(volume: Volume, claim: Claim, wanted: Quantity): boolean {
  return (
    isOpenTo(volume, claim) &&
    capacityOf(volume).cmp(wanted) >= 0 &&
    !differsInMode(claim, volume) &&
    attributesClassOf(claim) === attributesClassOf(volume) &&
    volume.metadata.deletionTimestamp === undefined
  );
}

/** No other claim has the volume. */
function isOpenTo(volume: Volume, claim: Claim): boolean {
  return volume.spec?.claimRef === undefined || isReservedFor(volume, claim);
}

function isFree(volume: Volume, claim: Claim, selector: Selector | undefined): boolean {
  return (
    volume.status?.phase === "Available" &&
    (selector === undefined || selector.matches(volume.metadata.labels ?? {})) &&
    classOfVolume(volume) === classOfClaim(claim)
  );
}

function smaller(a: Volume, b: Volume): Volume {
  return (capacityOf(a).cmp(capacityOf(b)) || compareText(a.metadata.name, b.metadata.name)) <= 0 ? a : b;
}

/**
 * The volume that the claim gets when its pod goes to a node; undefined when none fits. suitsNode: the volume can be used
 * there. A volume that is reserved for the claim is the only choice.
 */
export function volumeForNode(
  claim: Claim,
  volumes: Iterable<Volume>,
  suitsNode: (volume: Volume) => boolean,
): Volume | undefined {
  const selector = selectorOf(claim);
  const wanted = requestOf(claim);
  const modes = claim.spec?.accessModes ?? [];
  let best: Volume | undefined;
  for (const volume of volumes) {
    if (!fits(volume, claim, wanted)) continue;
    if (isReservedFor(volume, claim)) return suitsNode(volume) ? volume : undefined;
    if (!isFree(volume, claim, selector) || !suitsNode(volume)) continue;
    if (!modes.every((mode) => volume.spec?.accessModes?.includes(mode))) continue;
    best = best === undefined ? volume : smaller(best, volume);
  }
  return best;
}

/** The volume refers to the claim, with its UID or before it had one. */
export function isReservedFor({ spec }: Volume, { metadata }: Claim): boolean {
  const claimRef = spec?.claimRef;
  return (
    claimRef !== undefined &&
    claimRef.name === metadata.name &&
    claimRef.namespace === metadata.namespace &&
    (!claimRef.uid || claimRef.uid === metadata.uid)
  );
}

/** One is a file system, the other a block device. */
export function differsInMode(claim: Claim, volume: Volume): boolean {
  return (claim.spec?.volumeMode ?? "Filesystem") !== (volume.spec?.volumeMode ?? "Filesystem");
}

/**
 * Why a free volume that the claim names does not suit it. usesAttributesClasses: the gate VolumeAttributesClass.
 */
export function whyUnsuitable(volume: Volume, claim: Claim, usesAttributesClasses: boolean): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion ${goQuote(volume.metadata.name)}`;
  }
  if (capacityOf(volume).roundUp(0).cmp(requestOf(claim).roundUp(0)) < 0) return "requested PV is too small";
  if (classOfVolume(volume) !== classOfClaim(claim)) return "storageClassName does not match";
  const classes = [attributesClassOf(claim), attributesClassOf(volume)];
  if (!usesAttributesClasses && classes.some((name) => name !== "")) {
    return "volumeAttributesClassName is not supported when the feature-gate VolumeAttributesClass is disabled";
  }
  if (classes[0] !== classes[1]) return "volumeAttributesClassName does not match";
  if (differsInMode(claim, volume)) return "incompatible volumeMode";
  return hasModesFor(volume, claim) ? undefined : "incompatible accessMode";
}

function hasModesFor({ spec }: Volume, claim: Claim): boolean {
  const modes = spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => modes.includes(mode));
}

export function requestOf({ spec }: Claim): Quantity {
  return quantityFromWire(spec?.resources?.requests?.storage);
}

export function capacityOf({ spec }: Volume): Quantity {
  return quantityFromWire(spec?.capacity?.storage);
}

function attributesClassOf({ spec }: Claim | Volume): string {
  return spec?.volumeAttributesClassName ?? "";
}
