// The owners of a claim under the retention policy of its StatefulSet. The garbage collector deletes the claim with its
// owner: the set if whenDeleted is Delete, the pod once its ordinal is out of range if whenScaled is Delete.
// Upstream: pkg/controller/statefulset/stateful_set_utils.go, isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod.

import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { Pods } from "#api/generated/resources/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { apiVersionOf } from "#api/object.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import type { ResourceFields } from "#api/resource.ts";
import type { Claim, StatefulPod, StatefulSet, StoredPod } from "./model.ts";
import { isInRange } from "./ordinals.ts";

function policyOf({ spec }: StatefulSet): { readonly whenDeleted: string; readonly whenScaled: string } {
  return { whenDeleted: "Retain", whenScaled: "Retain", ...spec?.persistentVolumeClaimRetentionPolicy };
}

/** Which of set and pod should own the pod's claims. */
function wantedOwners(set: StatefulSet, pod: StatefulPod): { readonly bySet: boolean; readonly byPod: boolean } {
  const { whenDeleted, whenScaled } = policyOf(set);
  const byPod = whenScaled === "Delete" && !isInRange(set, pod);
  return { bySet: whenDeleted === "Delete" && !byPod, byPod };
}

function names(ref: OwnerReference, resource: ResourceFields, name: string): boolean {
  return ref.apiVersion === apiVersionOf(resource) && ref.kind === resource.kind && ref.name === name;
}

const refsOf = ({ metadata }: Claim): readonly OwnerReference[] => metadata.ownerReferences ?? [];
const namesSet = (ref: OwnerReference, set: StatefulSet): boolean => names(ref, StatefulSets, set.metadata.name);
const namesPod = (ref: OwnerReference, pod: StatefulPod): boolean => names(ref, Pods, pod.metadata.name);
const hasOwner = (claim: Claim, uid: string | undefined): boolean =>
  uid !== undefined && refsOf(claim).some((ref) => ref.uid === uid);

/** The claim is owned by an earlier pod of this name. */
function belongsToEarlierPod(claim: Claim, pod: StatefulPod): boolean {
  const ref = refsOf(claim).find((candidate) => namesPod(candidate, pod));
  return ref !== undefined && ref.uid !== pod.metadata.uid;
}

function belongsToEarlierSet(claim: Claim, set: StatefulSet): boolean {
  const ref = refsOf(claim).find((candidate) => namesSet(candidate, set));
  return ref !== undefined && ref.uid !== set.metadata.uid;
}

/** With whenScaled: Delete, the claim of an earlier pod is about to be deleted, and a new pod must wait for that. */
export function blocksCreation(set: StatefulSet, claim: Claim, pod: StatefulPod): boolean {
  return policyOf(set).whenScaled !== "Retain" && belongsToEarlierPod(claim, pod);
}

/** True if the claim has a controller other than the set and the pod, or an earlier incarnation of one of them. */
export function hasForeignController(claim: Claim, set: StatefulSet, pod: StatefulPod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenDeleted === "Retain" && whenScaled === "Retain") return false;
  return refsOf(claim).some((ref) => {
    if (namesSet(ref, set)) return ref.uid !== set.metadata.uid;
    if (namesPod(ref, pod)) return ref.uid !== pod.metadata.uid;
    return ref.controller === true;
  });
}

/** True if the owner references match the policy, or must not be changed. */
export function isOwnedAsWanted(claim: Claim, set: StatefulSet, pod: StatefulPod): boolean {
  if (belongsToEarlierSet(claim, set) || belongsToEarlierPod(claim, pod)) return true;
  const isOfSet = hasOwner(claim, set.metadata.uid);
  const isOfPod = hasOwner(claim, pod.metadata.uid);
  if (hasForeignController(claim, set, pod)) return !isOfSet && !isOfPod;
  const isOwnedWithoutControl = refsOf(claim).some(
    ({ uid, controller }) => (uid === set.metadata.uid || uid === pod.metadata.uid) && controller !== true,
  );
  if (isOwnedWithoutControl) return false;
  const { bySet, byPod } = wantedOwners(set, pod);
  return isOfSet === bySet && isOfPod === byPod;
}

/** The claim with the owners that the policy requires. A foreign controller stays the only owner. */
export function withWantedOwners(claim: Claim, set: StatefulSet, pod: StatefulPod): Claim {
  const others = refsOf(claim).filter((ref) => !namesSet(ref, set) && !namesPod(ref, pod));
  const { bySet, byPod } = hasForeignController(claim, set, pod)
    ? { bySet: false, byPod: false }
    : wantedOwners(set, pod);
  const ownerReferences = [
    ...others,
    ...(byPod && pod.metadata.uid !== undefined ? [newControllerRef(pod as StoredPod, Pods)] : []),
    ...(bySet ? [newControllerRef(set, StatefulSets)] : []),
  ];
  const { ownerReferences: _, ...metadata } = claim.metadata;
  return { ...claim, metadata: ownerReferences.length === 0 ? metadata : { ...metadata, ownerReferences } };
}
