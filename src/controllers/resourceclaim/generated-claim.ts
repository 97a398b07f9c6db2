// The claim that is made from a template for an entry of a pod or a pod group.
// Upstream: pkg/controller/resourceclaim/controller.go, handleClaim, handlePodGroupClaim.

import type { ResourceClaim, ResourceClaimTemplate } from "#api/generated/types/resource-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { Draft, Stored } from "#api/resource.ts";
import { isPodGroup } from "#families/devices/claims-of-users.ts";

/** Which entry of the pod or the group a generated claim is for. */
export const ENTRY_ANNOTATION = "resource.kubernetes.io/pod-claim-name";

/** Leaves room for a hyphen and five random characters in a name of 63. */
const BASE_LENGTH_MAX = 57;

export function generatedClaim(
  owner: OwnerReference,
  entry: string,
  { spec: { metadata: { annotations, labels } = {}, spec } }: ResourceClaimTemplate,
): Draft<Stored<ResourceClaim>> {
  const metadata = {
    generateName: generateNameOf(owner.name, entry),
    annotations: { ...annotations, [ENTRY_ANNOTATION]: entry },
    ...(labels === undefined ? {} : { labels }),
    ownerReferences: [owner],
  };
  return { metadata, spec };
}

/** Owner and entry, both cut in proportion where they are too long together. */
export function generateNameOf(owner: string, entry: string): string {
  const whole = `${owner}-${entry}-`;
  if (whole.length <= BASE_LENGTH_MAX) return whole;
  const cut = (part: string): string => part.slice(0, Math.floor((part.length * BASE_LENGTH_MAX) / whole.length));
  return `${cut(owner)}-${cut(entry)}`;
}

/** The controlling pod group's UID with its namespace, as a list of one or none. */
export function podGroupOwnerUids(claim: Stored<ResourceClaim>): readonly string[] {
  const owner = getControllerOf(claim);
  return owner === undefined || !isPodGroup(owner) ? [] : [`${claim.metadata.namespace}/${owner.uid}`];
}

/** The pod that the claim was made for. */
export function owningPod({ metadata }: Stored<ResourceClaim>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(
    ({ controller, apiVersion, kind }) => controller === true && apiVersion === "v1" && kind === "Pod",
  );
}

export function wantsAdminAccess({ spec }: Pick<ResourceClaim, "spec">): boolean {
  return (spec.devices?.requests ?? []).some(({ exactly }) => exactly?.adminAccess === true);
}

export function hasPrioritizedList({ spec }: Pick<ResourceClaim, "spec">): boolean {
  return (spec.devices?.requests ?? []).some(({ firstAvailable }) => (firstAvailable ?? []).length > 0);
}
