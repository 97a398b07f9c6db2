// Shared informers as controllers see them. shared-informer.ts implements this, and factory.ts provides them: one per
// resource, form and selection for all callers.

import type { GroupVersionResource, ObjectKey } from "#api/object.ts";
import type { PartialObjectMetadata, Resource, StoredObject } from "#api/resource.ts";
import type { Selection } from "#client/client.ts";
import type { Indexers, Store } from "#informers/store.ts";

/**
 * Called in order, one event at a time, never concurrently with itself. Handlers turn events into
 * keys and return; they never await, and a handler that throws ends the process (as a panic does
 * upstream). Objects are shared: never change them.
 */
export interface EventHandler<T extends StoredObject = StoredObject> {
  onAdd?(object: T, isInInitialList: boolean): void;
  onUpdate?(oldObject: T, newObject: T): void;
  /**
   * isFinalStateUnknown: the delete event was missed and a relist found the deletion; object is the last state seen.
   */
  onDelete?(object: T, isFinalStateUnknown: boolean): void;
}

export interface HandlerOptions {
  /** 0: never. Absent: the informer's default. */
  readonly resyncPeriodMs?: number;
}

/** Disposing removes the handler. */
export interface HandlerRegistration extends Disposable {
  /** The informer is synced and this handler has seen every object of the initial list. */
  readonly hasSynced: boolean;
  synced(signal: AbortSignal): Promise<void>;
}

/**
 * Turns an object into the form that the cache keeps. Idempotent; may change its argument in place unless it is frozen.
 */
export type Transform<T> = (object: T) => T;

/** The part of a Selector (#api/label-selector.ts) that a lister needs. */
export interface LabelMatcher {
  matches(labels: Readonly<Record<string, string>>): boolean;
  /** Everything matches. */
  readonly isEmpty?: boolean;
  /** False: nothing matches. */
  readonly isSelectable?: boolean;
}

export interface Lister<T extends StoredObject = StoredObject> {
  /** All objects, or those of one namespace, that match the selector. */
  list(selector?: LabelMatcher, namespace?: string): readonly T[];
  get(key: ObjectKey): T | undefined;
  /** Like get, but a missing object is an ApiError with reason NotFound. */
  require(key: ObjectKey): T;
}

export interface SharedInformer<T extends StoredObject = StoredObject> {
  readonly resource: Resource<T>;
  readonly store: Store<T>;
  readonly lister: Lister<T>;
  /** The initial list is in the store and was delivered to the handlers. */
  readonly hasSynced: boolean;
  readonly isStopped: boolean;
  /** The version from which the reflector continues; may run ahead of the store. */
  readonly lastSyncResourceVersion: string;
  /** The version up to which the store has applied the stream; "" when AtomicFIFO is off. */
  readonly lastStoreSyncResourceVersion: string;
  synced(signal: AbortSignal): Promise<void>;
  addHandler(handler: EventHandler<T>, options?: HandlerOptions): HandlerRegistration;
  /** Allowed at any time until the informer stops. A name already in use throws. */
  addIndexers(indexers: Indexers<T>): void;
  /** Only before the informer runs. */
  setTransform(transform: Transform<T>): void;
  /** Runs until the signal aborts. A second run of the same informer returns at once with a warning. */
  run(signal: AbortSignal): Promise<void>;
}

export interface InformerFactory {
  /** Full objects. */
  informer<T extends StoredObject>(resource: Resource<T>, selection?: Selection): SharedInformer<T>;
  /** Metadata only. */
  metadataInformer<T extends StoredObject>(
    resource: Resource<T>,
    selection?: Selection,
  ): SharedInformer<PartialObjectMetadata<T>>;
  /** For callers that need only metadata: the full informer if one was requested, else a metadata informer. */
  informerOfAnyForm<T extends StoredObject>(resource: Resource<T>): SharedInformer<PartialObjectMetadata<T>>;
  /** Starts every requested informer that does not run yet, full informers first. Idempotent. */
  start(): void;
  /** Resolves when every started informer is synced. */
  waitForCacheSync(signal: AbortSignal): Promise<void>;
  /** Stops one informer and forgets it; the next request for it makes a new one. */
  stop(informer: { readonly resource: GroupVersionResource }): Promise<void>;
  /** Stops a metadata informer that has no handlers. Full informers stay: their listers may be in use. */
  stopUnused(informer: { readonly resource: GroupVersionResource }): Promise<void>;
  /** Stops all and waits for them. Later calls of start do nothing. */
  shutdown(): Promise<void>;
}
