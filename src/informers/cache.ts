// Sits between reflector and handlers: applies the reflector's changes to the store in order, never backwards, and
// notifies the handlers. client-go has a queue in this place. Here deliveries are synchronous, so no event ever waits,
// and a slow handler delays the reflector directly.
// Upstream: client-go/tools/cache/the_real_fifo.go; controller.go, processDeltas and processReplacedAllInfo

import { type ObjectKey, objectKey, ref } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { compareResourceVersions, isComparableResourceVersion } from "#api/resource-version.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Listener, Listeners } from "#informers/listeners.ts";
import type { InformerMeter } from "#informers/metrics.ts";
import type { IndexedStore } from "#informers/store.ts";

export type Delta<T> = { readonly type: "upsert" | "delete"; readonly object: T };

export interface CacheOptions<T extends StoredObject> {
  readonly store: IndexedStore<T>;
  readonly listeners: Listeners<T>;
  readonly log: Logger | undefined;
  /** Gate AtomicFIFO: a relist is one step, and the store knows its resource version. */
  readonly isAtomic: boolean;
  /** Gate InOrderInformersBatchProcess: changes of different objects reach the store together. */
  readonly isBatching: boolean;
  readonly onSynced: () => void;
  readonly clock: Clock;
  /** Appears in logs. */
  readonly name: string;
  readonly meter?: InformerMeter;
}

export const BATCH_MAX = 1000;
/** Handlers that take longer than this per event, or longer than a second for a batch, are named in the log. */
const SLOW_EVENT_MS = 100;
const SLOW_BATCH_MS = 1000;
const SLOW_EVENTS_MIN = 10;

type Notice<T> =
  | { readonly type: "added"; readonly object: T }
  | { readonly type: "updated"; readonly old: T; readonly object: T }
  | { readonly type: "deleted"; readonly object: T; readonly isFinalStateUnknown: boolean };

export class Cache<T extends StoredObject> {
  readonly #options: CacheOptions<T>;
  #hasSynced = false;
  #resourceVersion = "";

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The version up to which the store has followed the server. */
  get resourceVersion(): string {
    return this.#options.isAtomic ? this.#resourceVersion : "";
  }

  /**
   * Applies a complete new state. isRestored: the server reported that it is behind the versions we know, so going back
   * is right. Otherwise an object that the store has in a newer version stays.
   */
  replace(objects: readonly T[], resourceVersion: string, isRestored: boolean): void {
    const { store, isAtomic } = this.#options;
    const kept = objects.map((object) => this.#newest(object, isRestored));
    if (isAtomic) {
      const notices = this.#replacement(kept);
      store.replace(kept);
      this.#resourceVersion = resourceVersion;
      this.#notify(notices, true);
    } else {
      const present = new Set(kept.map(objectKey));
      const gone = [...store.keys()].filter((key) => !present.has(key));
      for (const run of chunks(gone)) {
        const notices = run.map((key) => this.#drop(key));
        this.#notify(notices.filter((notice) => notice !== undefined));
      }
      for (const run of chunks(kept)) this.#notify(run.flatMap((object) => this.#upsert(object)));
    }
    this.#markSynced();
  }

  /** Changes in the order of the stream. Changes of different objects reach the store together. */
  apply(deltas: readonly Delta<T>[]): void {
    // A change before any list means that there is no initial list to wait for.
    this.#markSynced();
    const batchMax = this.#options.isBatching ? BATCH_MAX : 1;
    const keys = new Set<ObjectKey>();
    let notices: Notice<T>[] = [];
    for (const { type, object } of deltas) {
      const key = objectKey(object);
      if (keys.has(key) || keys.size === batchMax) {
        this.#notify(notices);
        notices = [];
        keys.clear();
      }
      keys.add(key);
      if (this.#isOlder(object, key) || (type === "upsert" && this.#isKnown(object, key))) continue;
      for (const notice of type === "upsert" ? this.#upsert(object) : this.#delete(key, object)) notices.push(notice);
      this.#advance(object.metadata.resourceVersion);
    }
    this.#notify(notices);
  }

  bookmark(resourceVersion: string): void {
    this.#advance(resourceVersion);
  }

  /** Notifies the handlers that are due for a resync about every object. */
  resync(): void {
    const { store, listeners } = this.#options;
    const audience = listeners.current;
    for (const object of [...store.values()]) listeners.updated(audience, object, object);
  }

  #markSynced(): void {
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#options.onSynced();
  }

  #advance(resourceVersion: string): void {
    if (!isOlderVersion(resourceVersion, this.#resourceVersion)) this.#resourceVersion = resourceVersion;
  }

  /** The changes of a relist: first all deletions, then the rest in the list's order. */
  #replacement(objects: readonly T[]): Notice<T>[] {
    const { store } = this.#options;
    const present = new Set(objects.map(objectKey));
    const gone: Notice<T>[] = [];
    for (const [key, object] of entries(store)) {
      if (!present.has(key)) gone.push({ type: "deleted", object, isFinalStateUnknown: true });
    }
    return [...gone, ...objects.flatMap((object) => changes(store.get(objectKey(object)), object))];
  }

  #upsert(object: T): Notice<T>[] {
    const { store } = this.#options;
    const key = objectKey(object);
    const notices = changes(store.get(key), object);
    store.set(key, object);
    return notices;
  }

  /** The event carries the object's final state, unless it is about another incarnation of the object. */
  // Deviation: upstream also reports the deletion of an object that its cache does not hold.
  #delete(key: ObjectKey, final: T): Notice<T>[] {
    const { store } = this.#options;
    const old = store.get(key);
    if (!old) return [];
    store.delete(key);
    return isSameLife(old, final)
      ? [{ type: "deleted", object: final, isFinalStateUnknown: false }]
      : [{ type: "deleted", object: old, isFinalStateUnknown: true }];
  }

  #drop(key: ObjectKey): Notice<T> | undefined {
    const { store } = this.#options;
    const object = store.get(key);
    if (!object) return undefined;
    store.delete(key);
    return { type: "deleted", object, isFinalStateUnknown: true };
  }

  /** Chooses between a relisted object and the stored one. An unchanged object keeps its identity. */
  #newest(object: T, isRestored: boolean): T {
    const key = objectKey(object);
    const stored = this.#options.store.get(key);
    if (!stored) return object;
    return this.#isKnown(object, key) || (!isRestored && this.#isOlder(object, key)) ? stored : object;
  }

  #isKnown(object: T, key: ObjectKey): boolean {
    const stored = this.#options.store.get(key);
    if (!stored || !isSameLife(stored, object)) return false;
    return object.metadata.resourceVersion === stored.metadata.resourceVersion;
  }

  #isOlder(object: T, key: ObjectKey): boolean {
    const stored = this.#options.store.get(key)?.metadata.resourceVersion;
    const offered = object.metadata.resourceVersion;
    if (!isOlderVersion(offered, stored)) return false;
    this.#options.log?.info("Ignored a version of an object that is older than the cached one", {
      object: ref(object),
      offered,
      cached: stored,
    });
    return true;
  }

  /** An empty relist also counts as a delivery. */
  #notify(notices: readonly Notice<T>[], isRelist = false): void {
    if (notices.length === 0 && !isRelist) return;
    const { meter, clock, log, name } = this.#options;
    const startedAt = clock.monotonicMs();
    this.#deliver(notices);
    const tookMs = clock.monotonicMs() - startedAt;
    meter?.noteDelivery(tookMs);
    const isSlow = tookMs > Math.min(SLOW_EVENT_MS * notices.length, SLOW_BATCH_MS);
    if (isSlow && notices.length > SLOW_EVENTS_MIN) {
      const reason = "slow event handlers blocking the queue";
      log?.info("RealFIFO PopBatch Process", { type: name, batchSize: notices.length, reason, tookMs });
    }
  }

  #deliver(notices: readonly Notice<T>[]): void {
    const { listeners } = this.#options;
    const audience: readonly Listener<T>[] = listeners.current;
    const isInInitialList = !this.#hasSynced;
    for (const notice of notices) {
      switch (notice.type) {
        case "added":
          listeners.added(audience, notice.object, isInInitialList);
          break;
        case "updated":
          listeners.updated(audience, notice.old, notice.object);
          break;
        case "deleted":
          listeners.deleted(audience, notice.object, notice.isFinalStateUnknown);
          break;
      }
    }
  }
}

/**
 * The notifications when one object replaces another. Deviation: upstream reports a recreated object as an update; here
 * it is a deletion and an addition.
 */
function changes<T extends StoredObject>(old: T | undefined, object: T): Notice<T>[] {
  if (!old) return [{ type: "added", object }];
  if (isSameLife(old, object)) return [{ type: "updated", old, object }];
  return [
    { type: "deleted", object: old, isFinalStateUnknown: true },
    { type: "added", object },
  ];
}

function isSameLife(a: StoredObject, b: StoredObject): boolean {
  return a.metadata.uid === b.metadata.uid;
}

/** Versions that cannot be compared are never older. */
export function isOlderVersion(offered: string | undefined, known: string | undefined): boolean {
  if (offered === undefined || known === undefined || offered === known) return false;
  if (!isComparableResourceVersion(offered) || !isComparableResourceVersion(known)) return false;
  return compareResourceVersions(offered, known) < 0;
}

function* entries<T extends StoredObject>(store: IndexedStore<T>): Iterable<[ObjectKey, T]> {
  for (const object of store.values()) yield [objectKey(object), object];
}

function* chunks<E>(items: readonly E[]): Iterable<readonly E[]> {
  for (let start = 0; start < items.length; start += BATCH_MAX) yield items.slice(start, start + BATCH_MAX);
}
