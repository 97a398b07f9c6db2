// Syncs one claim: the condition Unused behind its gate, then the finalizer.
// Upstream: pkg/controller/volume/pvcprotection/pvc_protection_controller.go, processPVC.

import type { PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import { type ObjectKey, objectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { formatTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { ResourceClient } from "#client/client.ts";
import { syncProtection } from "#families/protection/protection.ts";
import { podsOfClaim } from "#families/volumes/pod-claims.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { findCondition } from "#kit/conditions.ts";
import { blocksDeletion, keepsInUse, type Uses } from "./usage.ts";

export const finalizer = "kubernetes.io/pvc-protection";

type Claim = Stored<PersistentVolumeClaim>;

export interface Deps {
  readonly clock: Clock;
  readonly claims: SharedInformer<Claim>;
  readonly pods: SharedInformer<Stored<Pod>>;
  readonly claimsApi: ResourceClient<Claim>;
  readonly podsApi: ResourceClient<Stored<Pod>>;
  /** The gate PersistentVolumeClaimUnusedSinceTime. */
  readonly reportsUnused: boolean;
}

/** A live list of the pods of one namespace, read on first use and shared by all claims of a batch. */
export class LivePods {
  readonly #namespace: string;
  readonly #deps: Deps;
  #pods: Promise<readonly Stored<Pod>[]> | undefined;

  constructor(namespace: string, deps: Deps) {
    this.#namespace = namespace;
    this.#deps = deps;
  }

  async list(signal: AbortSignal): Promise<readonly Stored<Pod>[]> {
    this.#pods ??= this.#read(signal);
    return await this.#pods;
  }

  async #read(signal: AbortSignal): Promise<readonly Stored<Pod>[]> {
    try {
      return (await this.#deps.podsApi.list({ namespace: this.#namespace }, signal)).items;
    } catch (error) {
      this.#pods = undefined;
      throw new Error(`live list of pods failed: ${errorMessage(error)}`, { cause: error });
    }
  }
}

export async function syncClaim(key: ObjectKey, live: LivePods, deps: Deps, signal: AbortSignal): Promise<void> {
  const claim = deps.claims.lister.get(key);
  if (claim === undefined) return;
  // The cache knows most users. If it knows none, a pod may just have been scheduled.
  const isUsed = async (claim: Claim, uses: Uses): Promise<boolean> =>
    podsOfClaim(deps.pods, objectKey(claim)).some((pod) => uses(pod, claim)) ||
    (await live.list(signal)).some((pod) => uses(pod, claim));

  if (deps.reportsUnused && claim.metadata.deletionTimestamp === undefined) {
    await reportUnused(claim, !(await isUsed(claim, keepsInUse)), deps, signal);
  }
  const protection = { finalizer, api: deps.claimsApi, isUsed: (claim: Claim) => isUsed(claim, blocksDeletion) };
  await syncProtection(claim, protection, signal);
}

async function reportUnused(claim: Claim, isUnused: boolean, deps: Deps, signal: AbortSignal): Promise<void> {
  const { status = {} } = claim;
  const conditions = status.conditions ?? [];
  const known = findCondition(conditions, "Unused");
  if (known !== undefined && (known.status === "True") === isUnused) return;
  const condition = {
    type: "Unused",
    lastTransitionTime: formatTime(deps.clock.now()),
    ...(isUnused
      ? { status: "True", reason: "NoPodsUsingPVC", message: "No pods are currently referencing this PVC" }
      : { status: "False", reason: "PodUsingPVC", message: "A pod is currently referencing this PVC" }),
  };
  const updated =
    known === undefined ? [...conditions, condition] : conditions.map((one) => (one === known ? condition : one));
  await deps.claimsApi.updateStatus({ object: { ...claim, status: { ...status, conditions: updated } } }, signal);
}
