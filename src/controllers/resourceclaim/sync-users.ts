// Syncs one pod or pod group: each template entry gets a claim, the status names it, and allocated claims are reserved
// for pods that are already on a node.
// Upstream: pkg/controller/resourceclaim/controller.go, syncPod, syncPodGroup.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { PodGroups } from "#api/generated/resources/scheduling-v1alpha2.ts";
import type { Pod } from "#api/generated/types/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { apiVersionOf, type ObjectKey, objectKey } from "#api/object.ts";
import { isControlledBy } from "#api/owner-refs.ts";
import type { Resource, Stored, StoredObject } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import {
  type ClaimEntry,
  type ClaimUser,
  claimOfEntry,
  isForPod,
  isPodGroupReference,
  isReservedForPod,
  UNSUPPORTED,
} from "#families/devices/claims-of-users.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { consumerOf } from "./consumer.ts";
import { type Claim, type Deps, type Group, groupOf } from "./deps.ts";
import { ENTRY_ANNOTATION, generatedClaim, hasPrioritizedList, wantsAdminAccess } from "./generated-claim.ts";
import { BY_GROUP_OWNER, BY_POD_OWNER, claimKeysByGroupOwner, claimKeysByPodOwner } from "./indexes.ts";
import { isPodDone } from "./sync-claim.ts";

const fieldManager = "ResourceClaimController";

/** The names of the claims that this sync created or found, by entry. */
type NewClaims = Map<string, string>;

export async function syncPod(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const pod = deps.pods.lister.get(key);
  if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return done;
  const group = podGroup(pod, deps);
  const entries = pod.spec?.resourceClaims ?? [];

  const found: NewClaims = new Map();
  for (const entry of entries) {
    const claim = await reporting("Pod", pod, Pods, entry, deps, signal, () =>
      claimForPod(pod, group, entry, deps, signal),
    );
    if (claim !== undefined) found.set(entry.name, claim);
  }
  if (found.size > 0) await applyClaimNames(deps.podsApi, pod, found, "pod", signal);

  if ((pod.spec?.nodeName ?? "") === "") return done; // Before that, the scheduler reserves claims.
  // Deviation: upstream also reserves claims for a pod that has ended, releases them, and repeats this for ever.
  if (isPodDone(pod)) return done;
  for (const entry of entries) {
    if (!(await reserve(pod, group, entry, deps, signal))) return done;
  }
  return done;
}

export async function syncPodGroup(key: ObjectKey, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const group = deps.groups?.lister.get(key);
  if (group === undefined || group.metadata.deletionTimestamp !== undefined) return done;
  const found: NewClaims = new Map();
  for (const entry of group.spec.resourceClaims ?? []) {
    const claim = await reporting("PodGroup", group, PodGroups, entry, deps, signal, () =>
      claimForGroup(group, entry, deps, signal),
    );
    if (claim !== undefined) found.set(entry.name, claim);
  }
  if (found.size > 0) await applyClaimNames(deps.groupsApi, group, found, "PodGroup", signal);
  return done;
}

function podGroup(pod: Stored<Pod>, deps: Deps): Group | undefined {
  try {
    return groupOf(pod, deps);
  } catch (error) {
    throw new Error(`get PodGroup for Pod ${objectKey(pod)}: ${errorMessage(error)}`, { cause: error });
  }
}

/** Records an event for the error of an entry. */
async function reporting<T extends StoredObject, R>(
  kind: "Pod" | "PodGroup",
  user: NoInfer<T>,
  resource: Resource<T>,
  entry: ClaimEntry,
  { recorder }: Deps,
  signal: AbortSignal,
  step: () => Promise<R>,
): Promise<R> {
  try {
    return await step();
  } catch (error) {
    if (signal.aborted) throw error;
    const what = `${kind}ResourceClaim ${entry.name}: ${errorMessage(error)}`;
    recorder.event(referenceTo(user, resource), "Warning", "FailedResourceClaimCreation", what);
    const who = kind === "Pod" ? "pod" : kind;
    throw new Error(`${who} ${objectKey(user)}, ${what}`, { cause: error });
  }
}

/** The claim that the pod's status must name: created, or found. Undefined: no change. */
async function claimForPod(
  pod: Stored<Pod>,
  group: Group | undefined,
  entry: ClaimEntry,
  deps: Deps,
  signal: AbortSignal,
): Promise<string | undefined> {
  const isOwn = (claim: Claim): boolean => isForPod(pod, claim, deps.groups !== undefined);
  if (!lacksClaim(pod, entry, isOwn, deps) || entry.resourceClaimTemplateName === undefined) return undefined;
  if (group !== undefined && isPodGroupReference(consumerOf(pod, group, entry))) {
    return claimOfGroup(group, entry, deps)?.metadata.name;
  }
  const made = deps.created.byIndex(BY_POD_OWNER, pod.metadata.uid, claimKeysByPodOwner);
  const owner = ownerReference(pod, Pods);
  return made.find((claim) => isFor(claim, entry))?.metadata.name ?? (await create(owner, pod, entry, deps, signal));
}

async function claimForGroup(
  group: Group,
  entry: ClaimEntry,
  deps: Deps,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!lacksClaim(group, entry, (claim) => isControlledBy(claim, group), deps)) return undefined;
  if (entry.resourceClaimTemplateName === undefined) return undefined;
  const made = claimOfGroup(group, entry, deps);
  return made?.metadata.name ?? (await create(ownerReference(group, PodGroups), group, entry, deps, signal));
}

/** True if the entry has no known claim, or if the claim in the status is gone or belongs to another user. */
function lacksClaim(user: ClaimUser, entry: ClaimEntry, isOwn: (claim: Claim) => boolean, deps: Deps): boolean {
  const named = claimOfEntry(user, entry);
  if (named.kind === "unsupported") {
    throw new Error(`checking for claim before creating it: ${unsupportedText(user, entry)}`);
  }
  if (named.kind !== "named") return named.kind === "notCreated";
  const claim = deps.claims.lister.get(`${user.metadata.namespace}/${named.name}`);
  return claim === undefined || (named.isGenerated && !isOwn(claim));
}

function unsupportedText(user: ClaimUser, { name }: ClaimEntry): string {
  return isPod(user)
    ? `pod "${objectKey(user)}", spec.resourceClaim "${name}": ${UNSUPPORTED}`
    : `PodGroup ${objectKey(user)}, spec.resourceClaim ${name}: ${UNSUPPORTED}`;
}

/** Every pod has containers, no group does. */
function isPod(user: ClaimUser): user is Stored<Pod> {
  return user.spec !== undefined && "containers" in user.spec;
}

function claimOfGroup(group: Group, entry: ClaimEntry, deps: Deps): Claim | undefined {
  const { namespace, uid } = group.metadata;
  const made = deps.created.byIndex(BY_GROUP_OWNER, `${namespace}/${uid}`, claimKeysByGroupOwner);
  return made.find((claim) => isFor(claim, entry));
}

function isFor({ metadata }: Claim, { name }: ClaimEntry): boolean {
  return metadata.annotations?.[ENTRY_ANNOTATION] === name;
}

async function create(
  owner: OwnerReference,
  { metadata: { namespace } }: ClaimUser,
  { name: entry, resourceClaimTemplateName: templateName = "" }: ClaimEntry,
  { templates, claimsApi, created, creates, allows }: Deps,
  signal: AbortSignal,
): Promise<string> {
  const template = templates.lister.get(`${namespace}/${templateName}`);
  if (template === undefined) {
    const why = `resourceclaimtemplate.resource.k8s.io "${templateName}" not found`;
    throw new Error(`resource claim template "${templateName}": ${why}`);
  }
  const isAdmin = wantsAdminAccess(template.spec);
  if (!allows.adminAccess && isAdmin) throw new Error("admin access is requested, but the feature is disabled");
  if (!allows.prioritizedList && hasPrioritizedList(template.spec)) {
    throw new Error("template includes a prioritized list of subrequests, but the feature is disabled");
  }
  try {
    const object = generatedClaim(owner, entry, template);
    const claim = await claimsApi.create({ namespace, object }, signal);
    creates.inc(["success", String(isAdmin)]);
    created.add(claim);
    return claim.metadata.name;
  } catch (error) {
    creates.inc(["failure", String(isAdmin)]);
    throw new Error(`create ResourceClaim : ${errorMessage(error)}`, { cause: error });
  }
}

/** Without blockOwnerDeletion. */
function ownerReference<T extends StoredObject>(owner: NoInfer<T>, resource: Resource<T>): OwnerReference {
  const { name, uid } = owner.metadata;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, uid, controller: true };
}

/** Applies only the new names: names that an earlier sync applied leave the status until they are found again. */
async function applyClaimNames(
  api: Pick<Deps["podsApi"], "apply"> | Pick<Deps["groupsApi"], "apply">,
  { metadata: { namespace, name } }: ClaimUser,
  found: NewClaims,
  what: string,
  signal: AbortSignal,
): Promise<void> {
  const resourceClaimStatuses = [...found].map(([entry, claim]) => ({ name: entry, resourceClaimName: claim }));
  const object = { metadata: { name, namespace }, status: { resourceClaimStatuses } };
  try {
    await api.apply({ namespace, name, object, fieldManager, force: true, subresource: "status" }, signal);
  } catch (error) {
    throw new Error(`update ${what} ${namespace}/${name} ResourceClaimStatuses: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** False ends the sync: the claim is missing, and its add event queues the pod again. */
async function reserve(
  pod: Stored<Pod>,
  group: Group | undefined,
  entry: ClaimEntry,
  deps: Deps,
  signal: AbortSignal,
): Promise<boolean> {
  const named = claimOfEntry(pod, entry);
  if (named.kind === "notNeeded") return true;
  if (named.kind === "unsupported") throw new Error(unsupportedText(pod, entry));
  if (named.kind === "notCreated") throw new Error(`pod "${objectKey(pod)}": ResourceClaim not created yet`);
  const claim = deps.claims.lister.get(`${pod.metadata.namespace}/${named.name}`);
  if (claim === undefined) return false;
  const groupsHaveClaims = deps.groups !== undefined;
  if (named.isGenerated && !isForPod(pod, claim, groupsHaveClaims)) throw new Error(foreignText(pod, claim, deps));
  if (claim.status?.allocation === undefined || isReservedForPod(pod, claim, groupsHaveClaims)) return true;
  const reservedFor = [...(claim.status.reservedFor ?? []), consumerOf(pod, group, entry)];
  try {
    await deps.claimsApi.updateStatus({ object: { ...claim, status: { ...claim.status, reservedFor } } }, signal);
  } catch (error) {
    throw new Error(`reserve claim ${objectKey(claim)}: ${errorMessage(error)}`, { cause: error });
  }
  return true;
}

function foreignText(pod: Stored<Pod>, claim: Claim, { groups }: Deps): string {
  const group = groups === undefined ? undefined : pod.spec?.schedulingGroup?.podGroupName;
  const why = group === undefined ? "Pod is not owner" : `neither Pod nor PodGroup ${group} is the owner`;
  return `ResourceClaim ${objectKey(claim)} was not created for Pod ${objectKey(pod)} (${why})`;
}
