// Steps with devices, for scenarios of several controllers: the actions of users, drivers and the scheduler on claims.

import { Pods } from "#api/generated/resources/core-v1.ts";
import { ResourceClaims, ResourceClaimTemplates } from "#api/generated/resources/resource-v1.ts";
import type { PodSpec } from "#api/generated/types/core-v1.ts";
import type {
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimSpec,
} from "#api/generated/types/resource-v1.ts";
import type { ObjectMeta } from "#api/meta.ts";
import type { ObjectOf, Stored } from "#api/resource.ts";
import { podSpec, type StoredPod } from "./pods.ts";
import type { Excuse } from "./scenario.ts";
import type { Stage } from "./stage.ts";

export const FINALIZER = "resource.kubernetes.io/delete-protection";

export const claimSpec: ResourceClaimSpec = {
  devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] },
};

type StoredClaim = ObjectOf<typeof ResourceClaims>;

export async function createTemplate(stage: Stage, name: string, metadata: ObjectMeta = {}): Promise<void> {
  await stage.of(ResourceClaimTemplates).create({ metadata: { name }, spec: { metadata, spec: claimSpec } });
}

export function createClaim(stage: Stage, name: string, metadata: ObjectMeta = {}): Promise<StoredClaim> {
  return stage.of(ResourceClaims).create({ metadata: { ...metadata, name }, spec: claimSpec });
}

/** Creates a pod. Its entries name claims ("gpu": "shared") or, after "from:", templates. */
export function createUser(
  stage: Stage,
  name: string,
  entries: Readonly<Record<string, string>>,
  more: Partial<PodSpec> = {},
  metadata: ObjectMeta = {},
): Promise<StoredPod> {
  const resourceClaims = Object.entries(entries).map(([entry, source]) => ({ name: entry, ...sourceOf(source) }));
  return stage.of(Pods).create({ metadata: { ...metadata, name }, spec: { ...podSpec, resourceClaims, ...more } });
}

export function sourceOf(source: string): { resourceClaimName: string } | { resourceClaimTemplateName: string } {
  const template = /^from:(.*)/.exec(source)?.[1];
  return template === undefined ? { resourceClaimName: source } : { resourceClaimTemplateName: template };
}

export interface Allocation {
  readonly reservedFor?: readonly ResourceClaimConsumerReference[];
  readonly result?: Partial<DeviceRequestAllocationResult>;
  /** Whether the claim has the finalizer that lets the resourceclaim controller deallocate it. */
  readonly isProtected?: boolean;
}

/**
 * Acts as the scheduler: sets the finalizer, then the allocation with its reservations. All caches show the pods by
 * then.
 */
export async function allocate(
  stage: Stage,
  name: string,
  { reservedFor = [], result, isProtected = true }: Allocation = {},
): Promise<void> {
  if (reservedFor.length > 0) await stage.settle();
  if (isProtected) {
    await stage.of(ResourceClaims).update(name, ({ metadata: { finalizers = [], ...metadata }, ...claim }) => ({
      ...claim,
      metadata: { ...metadata, finalizers: [...finalizers, FINALIZER] },
    }));
  }
  const device = { request: "gpu", driver: "gpu.example.com", pool: stage.name("pool"), device: "gpu-0", ...result };
  const status: NonNullable<ResourceClaim["status"]> = {
    allocation: { devices: { results: [device] } },
    ...(reservedFor.length === 0 ? {} : { reservedFor }),
  };
  await stage.of(ResourceClaims).updateStatus(name, (claim) => ({ ...claim, status }));
}

export function consumer({ metadata }: Pick<StoredPod, "metadata">): ResourceClaimConsumerReference {
  return { resource: "pods", name: metadata.name, uid: metadata.uid };
}

/** A manager that dies between the two writes of a release leaves the finalizer on a living claim. */
export const LEFT_FINALIZER: Excuse = {
  where: /end state › ResourceClaim .* › metadata.finalizers/,
  reason: "upstream's syncClaim removes the finalizer in the sync that drops the last reservation, and in no later one",
};

export function isAllocated({ status }: ResourceClaim): boolean {
  return status?.allocation !== undefined;
}

/** The claim that was generated from a template for an entry of the pod. */
export async function generatedClaim(stage: Stage, entry: string, user = ""): Promise<Stored<ResourceClaim>> {
  const annotation = "resource.kubernetes.io/pod-claim-name";
  return await stage.until(`the claim of ${entry}`, async () =>
    (await stage.of(ResourceClaims).list()).find(
      ({ metadata }) =>
        metadata.annotations?.[annotation] === entry &&
        (user === "" || metadata.ownerReferences?.some(({ name }) => name === user)),
    ),
  );
}
