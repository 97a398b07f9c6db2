// The controller's last writes, by Service and slice: the cache may lag behind them. A slice is identified by its UID
// and its generation.
// Upstream: k8s.io/endpointslice/util/endpointslice_tracker.go.

import type { ObjectKey } from "#api/object.ts";
import { type EndpointSlice, SERVICE_NAME } from "./model.ts";

const DELETION_EXPECTED = -1;

/** The cache is older than the controller's own writes. The sync is retried with back-off and without an event. */
export class StaleSlices extends Error {
  override readonly name = "StaleSlices";
  constructor() {
    super("EndpointSlice informer cache is out of date");
  }
}

export class SliceTracker {
  readonly #generations = new Map<ObjectKey, Map<string, number>>();

  has(slice: EndpointSlice): boolean {
    return this.#of(slice)?.has(slice.metadata.uid) ?? false;
  }

  /** True if this state of the slice was not written by the controller. */
  isNews(slice: EndpointSlice): boolean {
    const known = this.#of(slice)?.get(slice.metadata.uid);
    return known === undefined || generationOf(slice) > known;
  }

  /** Throws if a slice in the cache is older than its last write or was deleted, or if a written slice is missing. */
  refuseStale(service: ObjectKey, slices: readonly EndpointSlice[]): void {
    const known = this.#generations.get(service);
    if (known === undefined) return;
    const seen = new Set<string>();
    for (const slice of slices) {
      const { uid } = slice.metadata;
      seen.add(uid);
      const generation = known.get(uid);
      if (generation === DELETION_EXPECTED || (generation ?? 0) > generationOf(slice)) throw new StaleSlices();
    }
    for (const [uid, generation] of known) {
      if (generation !== DELETION_EXPECTED && !seen.has(uid)) throw new StaleSlices();
    }
  }

  wrote(slice: EndpointSlice): void {
    this.#set(slice, generationOf(slice));
  }

  expectDeletion(slice: EndpointSlice): void {
    this.#set(slice, DELETION_EXPECTED);
  }

  /** The slice was deleted. False: another client deleted it. */
  wasExpected(slice: EndpointSlice): boolean {
    const known = this.#of(slice);
    const generation = known?.get(slice.metadata.uid);
    known?.delete(slice.metadata.uid);
    return generation === undefined || generation === DELETION_EXPECTED;
  }

  forget(service: ObjectKey): void {
    this.#generations.delete(service);
  }

  #of(slice: EndpointSlice): Map<string, number> | undefined {
    return this.#generations.get(keyOf(slice));
  }

  #set(slice: EndpointSlice, generation: number): void {
    const key = keyOf(slice);
    const known = this.#generations.get(key) ?? new Map<string, number>();
    this.#generations.set(key, known.set(slice.metadata.uid, generation));
  }
}

const keyOf = ({ metadata }: EndpointSlice): ObjectKey =>
  `${metadata.namespace}/${metadata.labels?.[SERVICE_NAME] ?? ""}`;
const generationOf = ({ metadata }: EndpointSlice): number => metadata.generation ?? 0;
