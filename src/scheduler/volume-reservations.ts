// Volumes and claims of assumed pods: reserved in memory, written to the API server, and awaited until the binder has
// bound all claims.
// Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go, AssumePodVolumes, BindPodVolumes, checkBindings

import { PersistentVolumeClaims, PersistentVolumes } from "#api/generated/resources/core-v1.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "#api/generated/types/core-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { objectKey } from "#api/object.ts";
import type { Stored, StoredCluster, StoredObject } from "#api/resource.ts";
import { compareResourceVersions } from "#api/resource-version.ts";
import { deadlineScope, orAborted } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import type { Client } from "#client/client.ts";
import { annotated, SELECTED_NODE } from "#families/volumes/binding-annotations.ts";
import { boundVolume } from "#families/volumes/bound-volume.ts";
import type { Lister, SharedInformer } from "#informers/informer.ts";
import type { Objects } from "./cluster-objects.ts";
import { isFullyBound, isUsableOn, type VolumePlan } from "./filters/volume-binding.ts";

const BIND_TIMEOUT_MS = 600_000;

type Volume = StoredCluster<PersistentVolume>;
type Claim = Stored<PersistentVolumeClaim>;

export interface ReservationDeps {
  readonly clock: Clock;
  readonly client: Client;
  readonly nodes: Lister<StoredCluster<Node>>;
  readonly pods: Lister<Stored<Pod>>;
  readonly volumes: SharedInformer<Volume>;
  readonly claims: SharedInformer<Claim>;
}

/** The reservation of a pod. Its objects change as they are written. */
export interface Reservation {
  /** Volumes to bind to claims. */
  volumes: readonly Volume[];
  readonly boundClaims: readonly Claim[];
  /** Claims to provision a volume for. */
  provisionedClaims: readonly Claim[];
}

export class VolumeReservations {
  readonly #deps: ReservationDeps;
  readonly #volumes: Overlay<Volume>;
  readonly #claims: Overlay<Claim>;
  readonly #waiting = new Set<() => void>();

  constructor(deps: ReservationDeps) {
    this.#deps = deps;
    this.#volumes = new Overlay(deps.volumes.lister);
    this.#claims = new Overlay(deps.claims.lister);
  }

  /** The volumes with the reservations applied. */
  get volumes(): Objects<Volume> {
    return this.#volumes;
  }

  get claims(): Objects<Claim> {
    return this.#claims;
  }

  /** Called when a volume or a claim has changed. */
  noteChange(): void {
    for (const check of this.#waiting) check();
  }

  reserve({ bindings, provisions }: VolumePlan, nodeName: string): Reservation {
    const volumes = bindings.flatMap(({ volume, claim }) => boundVolume(volume, claim) ?? []);
    const provisionedClaims = provisions.map((claim) => annotated(claim, { [SELECTED_NODE]: nodeName }));
    for (const volume of volumes) this.#volumes.assume(volume);
    for (const claim of provisionedClaims) this.#claims.assume(claim);
    return { volumes, boundClaims: bindings.map(({ claim }) => claim), provisionedClaims };
  }

  release({ volumes, provisionedClaims }: Reservation): void {
    for (const volume of volumes) this.#volumes.forget(volume);
    for (const claim of provisionedClaims) this.#claims.forget(claim);
  }

  /** Writes the reservation and resolves when all claims are bound. */
  async bind(reservation: Reservation, pod: Stored<Pod>, nodeName: string, signal: AbortSignal): Promise<void> {
    await this.#write(reservation, signal);
    using limit = deadlineScope(this.#deps.clock, BIND_TIMEOUT_MS, signal);
    const bound = new Promise<void>((resolve, reject) => {
      const check = (): void => {
        try {
          if (!this.#areBound(reservation, pod, nodeName)) return;
          resolve();
        } catch (error) {
          reject(error);
        }
        this.#waiting.delete(check);
      };
      limit.signal.addEventListener("abort", () => this.#waiting.delete(check), { once: true });
      this.#waiting.add(check);
      check();
    });
    await orAborted(bound, limit.signal);
  }

  async #write(reservation: Reservation, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const volumes: Volume[] = [];
    for (const object of reservation.volumes) {
      volumes.push(await client.resource(PersistentVolumes).update({ object }, signal));
    }
    const claims: Claim[] = [];
    for (const object of reservation.provisionedClaims) {
      claims.push(await client.resource(PersistentVolumeClaims).update({ object }, signal));
    }
    reservation.volumes = volumes;
    reservation.provisionedClaims = claims;
  }

  /** False: not yet. Throws when it can no longer happen. */
  #areBound(reservation: Reservation, pod: Stored<Pod>, nodeName: string): boolean {
    const { volumes, boundClaims, provisionedClaims } = reservation;
    const node = this.#deps.nodes.get(nodeName);
    if (node === undefined) throw new Error(`failed to get node ${goQuote(nodeName)}`);
    if (this.#deps.pods.get(objectKey(pod)) === undefined) throw new Error("pod does not exist any more");
    for (const written of volumes) {
      const volume = this.#deps.volumes.lister.require(objectKey(written));
      if (isNewer(written, volume)) return false;
      if (!volume.spec?.claimRef?.uid) throw new Error(`ClaimRef got reset for pv ${goQuote(volume.metadata.name)}`);
    }
    for (const { metadata } of provisionedClaims) {
      const claim = this.#deps.claims.lister.require(`${metadata.namespace}/${metadata.name}`);
      if (isNewer({ metadata }, claim)) return false;
      if (claim.metadata.annotations?.[SELECTED_NODE] !== nodeName) {
        throw new Error(`provisioning failed for PVC ${goQuote(metadata.name)}`);
      }
    }
    return [...boundClaims, ...provisionedClaims].every((written) => this.#isBound(written, node));
  }

  #isBound(written: Claim, node: StoredCluster<Node>): boolean {
    const claim = this.#deps.claims.lister.require(objectKey(written));
    if (!claim.spec?.volumeName) return false;
    const volume = this.#deps.volumes.lister.get(claim.spec.volumeName);
    if (volume === undefined) return false;
    if (!isUsableOn(volume, node.metadata.labels ?? {})) {
      const [quotedVolume, quotedNode] = [goQuote(volume.metadata.name), goQuote(node.metadata.name)];
      throw new Error(
        `pv ${quotedVolume} node affinity doesn't match node ${quotedNode}: no matching NodeSelectorTerms`,
      );
    }
    return isFullyBound(claim);
  }
}

function isNewer(a: StoredObject, b: StoredObject): boolean {
  return compareResourceVersions(a.metadata.resourceVersion, b.metadata.resourceVersion) > 0;
}

/** Cached objects with assumptions applied. A newer version in the cache replaces the assumption. */
class Overlay<T extends StoredObject> implements Objects<T> {
  readonly #cache: Lister<T>;
  readonly #assumed = new Map<string, T>();

  constructor(cache: Lister<T>) {
    this.#cache = cache;
  }

  get(key: string): T | undefined {
    const object = this.#cache.get(key);
    return object === undefined ? undefined : this.#current(object);
  }

  list(_selector?: undefined, namespace?: string): readonly T[] {
    const objects = this.#cache.list(undefined, namespace);
    return this.#assumed.size === 0 ? objects : objects.map((object) => this.#current(object));
  }

  assume(object: T): void {
    this.#assumed.set(objectKey(object), object);
  }

  forget(object: T): void {
    this.#assumed.delete(objectKey(object));
  }

  #current(object: T): T {
    const key = objectKey(object);
    const assumed = this.#assumed.get(key);
    if (assumed === undefined) return object;
    if (assumed.metadata.resourceVersion === object.metadata.resourceVersion) return assumed;
    this.#assumed.delete(key);
    return object;
  }
}
