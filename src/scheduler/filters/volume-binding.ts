// Checks that the pod's claims are bound to volumes that the node can use, or can get such volumes.
// Upstream: pkg/scheduler/framework/plugins/volumebinding, Filter and FindPodVolumes

import type { PersistentVolumeClaim, Pod, TopologySelectorTerm } from "#api/generated/types/core-v1.ts";
import type { StorageClass } from "#api/generated/types/storage-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { type Labels, selectorFromObject } from "#api/label-selector.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Stored, StoredCluster } from "#api/resource.ts";
import { BIND_COMPLETED, hasAnnotation, SELECTED_NODE } from "#families/volumes/binding-annotations.ts";
import { type Claim, requestOf, type Volume, volumeForNode } from "#families/volumes/claim-matching.ts";
import { claimNameOf, isClaimOfPod } from "#families/volumes/pod-claims.ts";
import { matchesNodeSelector } from "#rules/node-affinity.ts";
import { classOfClaim, classOfVolume } from "#rules/storage-classes.ts";
import type { ClusterObjects } from "../cluster-objects.ts";
import type { NodeState } from "../node-state.ts";
import { type PreparedFilter, type Rejection, unresolvable } from "../rejection.ts";

const OTHER_NODE = "node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME = "node(s) didn't find available persistent volumes to bind";
const NO_SPACE = "node(s) did not have enough free storage";
const NO_SUCH_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const NOT_BOUND = unresolvable("VolumeBinding", "pod has unbound immediate PersistentVolumeClaims");
const NO_PROVISIONER = "kubernetes.io/no-provisioner";

/** The writes for the pod's unbound claims on a node. */
export interface VolumePlan {
  readonly bindings: readonly { readonly claim: Claim; readonly volume: Volume }[];
  readonly provisions: readonly Claim[];
}

/** The plans of the nodes that passed. */
export type VolumePlans = Map<NodeState, VolumePlan>;

export function filterVolumeBinding(pod: Stored<Pod>, objects: ClusterObjects, plans: VolumePlans): PreparedFilter {
  const claims = claimsOf(pod, objects);
  if ("reasons" in claims) return claims;
  if (claims.length === 0) return undefined;
  const bound = claims.filter(isFullyBound);
  const unbound = claims.filter((claim) => !isFullyBound(claim));
  if (unbound.some((claim) => !isDelayed(claim, objects))) return NOT_BOUND;
  const available = objects.volumes.list().toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const byClass = new Map(
    unbound.map(classOfClaim).map((name) => [name, available.filter((volume) => classOfVolume(volume) === name)]),
  );
  return (node) => {
    const reasons = boundReasons(bound, node, objects);
    const plan = planFor(unbound, node, byClass, objects);
    if (typeof plan === "string") reasons.push(plan);
    else if (reasons.length === 0) plans.set(node, plan);
    // A missing volume is reported last.
    return reasons.length === 0 ? undefined : unresolvable("VolumeBinding", ...reasons.sort(byRank));
  };
}

const RANKS = [OTHER_NODE, NO_VOLUME, NO_SPACE, NO_SUCH_VOLUME];
const byRank = (a: string, b: string): number => RANKS.indexOf(a) - RANKS.indexOf(b);

/** The pod's claims in the order of its volumes, or why it must wait for one. */
function claimsOf(pod: Stored<Pod>, { claims }: ClusterObjects): readonly Claim[] | Rejection {
  const found: Claim[] = [];
  for (const volume of pod.spec?.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name === undefined) continue;
    const claim = claims.get(`${pod.metadata.namespace}/${name}`);
    const why = whyUnusable(name, claim, pod, volume.ephemeral !== undefined);
    if (why !== undefined) return unresolvable("VolumeBinding", why);
    if (claim !== undefined) found.push(claim);
  }
  return found;
}

function whyUnusable(
  name: string,
  claim: Claim | undefined,
  pod: Stored<Pod>,
  isEphemeral: boolean,
): string | undefined {
  if (claim === undefined) {
    return isEphemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${goQuote(name)}`
      : `persistentvolumeclaim ${goQuote(name)} not found`;
  }
  if (claim.status?.phase === "Lost") {
    const volume = goQuote(claim.spec?.volumeName ?? "");
    return `persistentvolumeclaim ${goQuote(name)} bound to non-existent persistentvolume ${volume}`;
  }
  if (claim.metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim ${goQuote(name)} is being deleted`;
  if (!isEphemeral || isClaimOfPod(claim, pod)) return undefined;
  const { namespace } = pod.metadata;
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)`;
}

export function isFullyBound(claim: Claim): boolean {
  return Boolean(claim.spec?.volumeName) && hasAnnotation(claim, BIND_COMPLETED);
}

/** The claim waits for its pod to be scheduled. */
function isDelayed(claim: Stored<PersistentVolumeClaim>, { storageClasses }: ClusterObjects): boolean {
  const mode = storageClasses.get(classOfClaim(claim))?.volumeBindingMode;
  return mode === "WaitForFirstConsumer" && !claim.spec?.volumeName;
}

/** Whether the volume can be used on a node with these labels. */
export function isUsableOn({ spec }: Volume, labels: Labels): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, { metadata: { labels } });
}

/** The first claim that does not fit the node decides. */
function boundReasons(bound: readonly Claim[], { labels }: NodeState, { volumes }: ClusterObjects): string[] {
  for (const { spec } of bound) {
    const volume = volumes.get(spec?.volumeName ?? "");
    if (volume === undefined) return [NO_SUCH_VOLUME];
    if (!isUsableOn(volume, labels)) return [OTHER_NODE];
  }
  return [];
}

/** Smaller claims choose first. */
function planFor(
  unbound: readonly Claim[],
  node: NodeState,
  byClass: ReadonlyMap<string, readonly Volume[]>,
  objects: ClusterObjects,
): VolumePlan | string {
  const selected = unbound.filter((claim) => hasAnnotation(claim, SELECTED_NODE));
  if (selected.some(({ metadata }) => metadata.annotations?.[SELECTED_NODE] !== node.name)) return NO_VOLUME;
  const provisions = [...selected];
  const bindings: { readonly claim: Claim; readonly volume: Volume }[] = [];
  const chosen = new Set<Volume>();
  const bySize = unbound
    .filter((claim) => !selected.includes(claim))
    .toSorted((a, b) => requestOf(a).cmp(requestOf(b)));
  for (const claim of bySize) {
    const candidates = (byClass.get(classOfClaim(claim)) ?? []).filter((volume) => !chosen.has(volume));
    const volume = volumeForNode(claim, candidates, (candidate) => isUsableOn(candidate, node.labels));
    if (volume === undefined) provisions.push(claim);
    else {
      chosen.add(volume);
      bindings.push({ claim, volume });
    }
  }
  for (const claim of provisions) {
    const why = whyNotProvisioned(claim, node, objects);
    if (why !== undefined) return why;
  }
  return { bindings, provisions };
}

function whyNotProvisioned(claim: Claim, { labels }: NodeState, objects: ClusterObjects): string | undefined {
  const storageClass = objects.storageClasses.get(classOfClaim(claim));
  const { provisioner = "", allowedTopologies = [] } = storageClass ?? {};
  if (storageClass === undefined || provisioner === "" || provisioner === NO_PROVISIONER) return NO_VOLUME;
  if (allowedTopologies.length > 0 && !allowedTopologies.some((term) => isInTopology(term, labels))) return NO_VOLUME;
  return hasCapacity(claim, storageClass, labels, objects) ? undefined : NO_SPACE;
}

function isInTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, labels: Labels): boolean {
  if (matchLabelExpressions.length === 0) return false;
  return matchLabelExpressions.every(
    ({ key, values }) => values.includes(labels[key] ?? "") && labels[key] !== undefined,
  );
}

/** For drivers that publish their capacities, checks for one with enough room for the node. */
function hasCapacity(
  claim: Claim,
  { metadata: { name }, provisioner }: StoredCluster<StorageClass>,
  labels: Labels,
  { csiDrivers, capacities }: ClusterObjects,
): boolean {
  if (claim.spec?.resources?.requests?.storage === undefined) return true;
  if (csiDrivers.get(provisioner)?.spec?.storageCapacity !== true) return true;
  const wanted = requestOf(claim).value();
  return capacities.list().some((entry) => {
    const limit = entry.maximumVolumeSize ?? entry.capacity;
    if (entry.storageClassName !== name || limit === undefined || entry.nodeTopology === undefined) return false;
    return quantityFromWire(limit).value() >= wanted && selectorFromObject(entry.nodeTopology).matches(labels);
  });
}
