// Creates, updates and deletes the pods of a StatefulSet with their claims, and records the events.
// Upstream: pkg/controller/statefulset/stateful_pod_control.go.

import { StatefulSets } from "#api/generated/resources/apps-v1.ts";
import { PersistentVolumeClaims, Pods } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { isAlreadyExists, isConflict, isNotFound } from "#api/status-error.ts";
import { errorMessage } from "#base/errors.ts";
import { defaultBackoff, retryOnError } from "#base/go-backoff.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import { referenceTo } from "#kit/events/recorder.ts";
import { tolerate } from "#kit/tolerate.ts";
import { type ClaimDraft, claimsFor, hasIdentity, hasStorage, withIdentity, withStorage } from "./identity.ts";
import type { Claim, Deps, StatefulPod, StatefulSet, StoredPod } from "./model.ts";
import { blocksCreation, hasForeignController, isOwnedAsWanted, withWantedOwners } from "./retention.ts";

type Verb = "Create" | "Update" | "Delete";

export class StatefulPods {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Creates the claims that are missing, then the pod. */
  async create(set: StatefulSet, pod: StatefulPod, signal: AbortSignal): Promise<void> {
    try {
      await this.#createClaims(set, pod, signal);
    } catch (error) {
      this.#podEvent("Create", set, pod, error);
      throw error;
    }
    let failure: unknown;
    try {
      const { namespace } = set.metadata;
      const created = await this.#deps.podsApi.create({ namespace, object: pod }, signal);
      this.#wrote(set, Pods, created);
    } catch (error) {
      if (isAlreadyExists(error)) throw error;
      failure = error;
    }
    await this.#ownClaims(set, pod, signal);
    this.#podEvent("Create", set, pod, failure);
    if (failure !== undefined) throw failure;
  }

  /** Creates the claims that a pending pod may lack. */
  async createMissingClaims(set: StatefulSet, pod: StatefulPod, signal: AbortSignal): Promise<void> {
    await this.#createClaims(set, pod, signal);
    await this.#ownClaims(set, pod, signal);
  }

  /** Restores the pod's identity, volumes, and claims with the right owners. */
  async update(set: StatefulSet, given: StoredPod, signal: AbortSignal): Promise<void> {
    let pod = given;
    let isAttempted = false;
    const attempt = async (): Promise<void> => {
      let isConsistent = true;
      if (!hasIdentity(set, pod)) {
        pod = withIdentity(set, pod);
        isConsistent = false;
      }
      if (!hasStorage(set, pod)) {
        pod = withStorage(set, pod);
        isConsistent = false;
        await this.#reportingFailure("Update", set, pod, this.#createClaims(set, pod, signal));
      }
      if (!this.claimsAreOwnedAsWanted(set, pod)) {
        isConsistent = false;
        await this.#ownClaims(set, pod, signal);
      }
      if (isConsistent) return;
      isAttempted = true;
      try {
        this.#wrote(set, Pods, await this.#deps.podsApi.update({ object: pod }, signal));
      } catch (error) {
        pod = this.#deps.pods.lister.get(objectKey(pod)) ?? pod;
        throw error;
      }
    };
    let failure: unknown;
    try {
      await retryOnError(defaultBackoff, hasConflict, attempt, this.#deps, signal);
    } catch (error) {
      failure = error;
    }
    if (isAttempted) this.#podEvent("Update", set, pod, failure);
    if (failure !== undefined) throw failure;
  }

  /** A pod that is already gone counts as deleted. */
  async delete(set: StatefulSet, pod: StatefulPod, signal: AbortSignal): Promise<void> {
    const { namespace, name } = pod.metadata;
    const deleted = tolerate(this.#deps.podsApi.delete({ namespace, name }, signal), isNotFound);
    await this.#reportingFailure("Delete", set, pod, deleted);
    this.#podEvent("Delete", set, pod);
  }

  /** The pod must wait until a claim of an earlier pod is gone. */
  isBlockedByClaim(set: StatefulSet, pod: StatefulPod): boolean {
    return this.#cachedClaims(set, pod).some((claim) => blocksCreation(set, claim, pod));
  }

  /** Missing claims are ignored here: they are created elsewhere. */
  claimsAreOwnedAsWanted(set: StatefulSet, pod: StatefulPod): boolean {
    return this.#cachedClaims(set, pod).every((claim) => isOwnedAsWanted(claim, set, pod));
  }

  /** Writes the owners of the pod's claims that the retention policy wants. */
  async updateClaimOwners(set: StatefulSet, pod: StatefulPod, signal: AbortSignal): Promise<void> {
    for (const claim of this.#cachedClaims(set, pod)) {
      const { name } = claim.metadata;
      if (hasForeignController(claim, set, pod)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#deps.recorder.event(referenceTo(set, StatefulSets), "Warning", "ConflictingController", message);
      }
      if (isOwnedAsWanted(claim, set, pod)) continue;
      try {
        const updated = await this.#deps.claimsApi.update({ object: withWantedOwners(claim, set, pod) }, signal);
        this.#wrote(set, PersistentVolumeClaims, updated);
      } catch (error) {
        const message = `could not update claim ${name} for delete policy ownerRefs: ${errorMessage(error)}`;
        throw new Error(message, { cause: error });
      }
    }
  }

  #ownClaims(set: StatefulSet, pod: StatefulPod, signal: AbortSignal): Promise<void> {
    return this.#reportingFailure("Update", set, pod, this.updateClaimOwners(set, pod, signal));
  }

  async #createClaims(set: StatefulSet, pod: StatefulPod, signal: AbortSignal): Promise<void> {
    const errors: unknown[] = [];
    for (const draft of claimsFor(set, pod).values()) {
      const { name } = draft.metadata;
      const cached = this.#cachedClaim(set, name);
      if (cached === undefined) await this.#createClaim(set, pod, draft, signal).catch((error) => errors.push(error));
      else if (cached.metadata.deletionTimestamp !== undefined) errors.push(new Error(`pvc ${name} is being deleted`));
    }
    const error = aggregate(errors);
    if (error !== undefined) throw error;
  }

  async #createClaim(set: StatefulSet, pod: StatefulPod, draft: ClaimDraft, signal: AbortSignal): Promise<void> {
    const { name } = draft.metadata;
    const inSet = `Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    const reference = referenceTo(set, StatefulSets);
    try {
      const { namespace } = set.metadata;
      const created = await this.#deps.claimsApi.create({ namespace, object: draft }, signal);
      this.#wrote(set, PersistentVolumeClaims, created);
    } catch (error) {
      const message = `Create Claim ${name} for ${inSet} failed error: ${errorMessage(error)}`;
      if (!isAlreadyExists(error)) this.#deps.recorder.event(reference, "Warning", "FailedCreate", message);
      throw new Error(`failed to create PVC ${name}: ${errorMessage(error)}`, { cause: error });
    }
    this.#deps.recorder.event(reference, "Normal", "SuccessfulCreate", `Create Claim ${name} ${inSet} success`);
  }

  #cachedClaims(set: StatefulSet, pod: StatefulPod): readonly Claim[] {
    return [...claimsFor(set, pod).values()].flatMap(({ metadata }) => this.#cachedClaim(set, metadata.name) ?? []);
  }

  #cachedClaim(set: StatefulSet, name: string): Claim | undefined {
    return this.#deps.claims.lister.get(`${set.metadata.namespace}/${name}`);
  }

  #wrote(set: StatefulSet, resource: typeof Pods | typeof PersistentVolumeClaims, written: StoredPod | Claim): void {
    const { uid } = set.metadata;
    this.#deps.consistency.wroteAt(objectKey(set), uid, resource, written.metadata.resourceVersion);
  }

  /** Records an event if the call fails. */
  async #reportingFailure(verb: Verb, set: StatefulSet, pod: StatefulPod, call: Promise<void>): Promise<void> {
    try {
      await call;
    } catch (error) {
      this.#podEvent(verb, set, pod, error);
      throw error;
    }
  }

  #podEvent(verb: Verb, set: StatefulSet, pod: StatefulPod, error?: unknown): void {
    const what = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    const reference = referenceTo(set, StatefulSets);
    const { recorder } = this.#deps;
    if (error === undefined) recorder.event(reference, "Normal", `Successful${verb}`, `${what} successful`);
    else recorder.event(reference, "Warning", `Failed${verb}`, `${what} failed error: ${errorMessage(error)}`);
  }
}

/** True for a conflict, even inside another error. */
function hasConflict(error: unknown): boolean {
  return isConflict(error) || (error instanceof Error && error.cause !== undefined && hasConflict(error.cause));
}
