// One cache of one resource, shared by all its users. A reflector fills the store through the cache, and listeners hear
// of the changes.
// Upstream: client-go/tools/cache/shared_informer.go, sharedIndexInformer

import type { Resource, StoredObject } from "#api/resource.ts";
import { childScope, orAborted } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient, Selection } from "#client/client.ts";
import { Cache } from "#informers/cache.ts";
import { HandlerError, InformerStateError } from "#informers/errors.ts";
import type {
  EventHandler,
  HandlerOptions,
  HandlerRegistration,
  Lister,
  SharedInformer,
  Transform,
} from "#informers/informer.ts";
import { Listener, Listeners } from "#informers/listeners.ts";
import { createLister } from "#informers/lister.ts";
import type { InformerMeter } from "#informers/metrics.ts";
import { Reflector } from "#informers/reflector.ts";
import { IndexedStore, type Indexers, type Store } from "#informers/store.ts";

/** The client library's feature gates that informers use. */
export interface InformerGates {
  readonly WatchListClient: boolean;
  readonly AtomicFIFO: boolean;
  readonly InOrderInformersBatchProcess: boolean;
}

const RESYNC_PERIOD_MS_MIN = 1000;

export const DEFAULT_GATES: InformerGates = {
  WatchListClient: true,
  AtomicFIFO: true,
  InOrderInformersBatchProcess: true,
};

/** The part of a client that an informer needs. */
export type InformerClient<T extends StoredObject> = Pick<ResourceClient<T>, "resource" | "list" | "watch">;

export interface SharedInformerOptions<T extends StoredObject> {
  readonly name: string;
  readonly client: InformerClient<T>;
  readonly selection?: Selection;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log?: Logger;
  readonly gates?: InformerGates;
  readonly transform?: Transform<T>;
  /** The resync period of handlers that request none, and how often the informer checks; 0: never. */
  readonly resyncPeriodMs?: number;
  readonly meter?: InformerMeter;
}

type Life = "new" | "running" | "stopped";

export class SharedIndexInformer<T extends StoredObject> implements SharedInformer<T> {
  readonly resource: Resource<T>;
  readonly lister: Lister<T>;
  readonly #options: SharedInformerOptions<T>;
  readonly #store = new IndexedStore<T>();
  readonly #listeners: Listeners<T>;
  readonly #cache: Cache<T>;
  readonly #synced = Promise.withResolvers<void>();
  readonly #failed = new AbortController();
  #transform: Transform<T>;
  #reflector: Reflector<T> | undefined;
  #resyncCheckMs: number;
  #life: Life = "new";

  constructor(options: SharedInformerOptions<T>) {
    const { gates = DEFAULT_GATES } = options;
    this.#options = options;
    this.resource = options.client.resource;
    this.lister = createLister(this.#store, this.resource);
    this.#transform = options.transform ?? ((object) => object);
    this.#resyncCheckMs = options.resyncPeriodMs ?? 0;
    this.#listeners = new Listeners((error) => this.#fail(error));
    this.#cache = new Cache({
      store: this.#store,
      listeners: this.#listeners,
      log: options.log,
      isAtomic: gates.AtomicFIFO,
      isBatching: gates.InOrderInformersBatchProcess,
      onSynced: () => this.#synced.resolve(),
      clock: options.clock,
      name: options.name,
      ...(options.meter && { meter: options.meter }),
    });
  }

  get store(): Store<T> {
    return this.#store;
  }

  get hasSynced(): boolean {
    return this.#cache.hasSynced;
  }

  get hasHandlers(): boolean {
    return this.#listeners.current.length > 0;
  }

  get isStopped(): boolean {
    return this.#life === "stopped";
  }

  get lastSyncResourceVersion(): string {
    return this.#reflector?.lastSyncResourceVersion ?? "";
  }

  get lastStoreSyncResourceVersion(): string {
    return this.#cache.resourceVersion;
  }

  synced(signal: AbortSignal): Promise<void> {
    return orAborted(this.#synced.promise, signal);
  }

  addIndexers(indexers: Indexers<T>): void {
    if (this.isStopped) throw new InformerStateError("indexer was not added because it has stopped already");
    this.#store.addIndexers(indexers);
  }

  setTransform(transform: Transform<T>): void {
    if (this.#life !== "new") throw new InformerStateError("informer has already started");
    this.#transform = transform;
  }

  addHandler(handler: EventHandler<T>, options: HandlerOptions = {}): HandlerRegistration {
    if (this.isStopped) {
      throw new InformerStateError("handler was not added to shared informer because it has stopped already");
    }
    const resyncMs = this.#acceptResyncPeriod(options.resyncPeriodMs ?? this.#options.resyncPeriodMs ?? 0);
    const listener = new Listener(handler, resyncMs, this.#options.clock.monotonicMs());
    this.#listeners.add(listener);
    if (this.#life === "running" && this.#store.size > 0) {
      listener.pendingAdds = [...this.#store.values()];
      // Deliver only after the caller holds its registration, but before any later event.
      void Promise.resolve().then(() => this.#listeners.flush(listener));
    }
    return this.#registration(listener);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, rng, gates = DEFAULT_GATES } = this.#options;
    if (this.#life !== "new") {
      log?.info("Warning: the sharedIndexInformer has started, run more than once is not allowed");
      return;
    }
    this.#life = "running";
    this.#reflector = new Reflector({
      name: this.#options.name,
      client: this.#options.client,
      selection: this.#options.selection ?? {},
      target: this.#cache,
      transform: this.#transform,
      clock,
      rng,
      log,
      usesWatchList: gates.WatchListClient,
      resyncCheckMs: this.#resyncCheckMs,
      onResyncCheck: () => {
        if (this.#listeners.checkResync(clock.monotonicMs())) this.#cache.resync();
      },
    });
    using scope = childScope(signal, this.#failed.signal);
    try {
      await this.#reflector.run(scope.signal);
    } finally {
      this.#life = "stopped";
      this.#listeners.clear();
      this.#options.meter?.close();
    }
    if (this.#failed.signal.aborted) throw this.#failed.signal.reason;
  }

  /** The first failure stops the informer, and run rejects with it. */
  #fail(error: unknown): void {
    if (this.#failed.signal.aborted) return;
    const { name } = this.#options;
    this.#failed.abort(new HandlerError(`a handler of ${name} threw: ${errorMessage(error)}`, { cause: error }));
  }

  /**
   * Before the start, a short period makes the informer check more often. Later, the handler's period is raised to the
   * informer's.
   */
  // Upstream: client-go/tools/cache/shared_informer.go, AddEventHandlerWithOptions and determineResyncPeriod
  #acceptResyncPeriod(desiredMs: number): number {
    if (desiredMs <= 0) return 0;
    const { log } = this.#options;
    let periodMs = desiredMs;
    if (periodMs < RESYNC_PERIOD_MS_MIN) {
      log?.info("Warning: resync period is too small. Changing it to the minimum allowed value", {
        resyncPeriod: periodMs,
        minimumResyncPeriod: RESYNC_PERIOD_MS_MIN,
      });
      periodMs = RESYNC_PERIOD_MS_MIN;
    }
    if (this.#resyncCheckMs === 0) {
      log?.info(
        "Warning: the specified resyncPeriod is invalid because this shared informer doesn't support resyncing",
        { desired: periodMs },
      );
      return 0;
    }
    if (periodMs >= this.#resyncCheckMs) return periodMs;
    if (this.#life === "running") {
      log?.info(
        "Warning: resync period is smaller than resync check period and the informer has already started. Changing it to the resync check period",
        { resyncPeriod: periodMs, resyncCheckPeriod: this.#resyncCheckMs },
      );
      return this.#resyncCheckMs;
    }
    this.#resyncCheckMs = periodMs;
    return periodMs;
  }

  #registration(listener: Listener<T>): HandlerRegistration {
    const informer = this;
    return {
      get hasSynced() {
        return informer.hasSynced && listener.pendingAdds === undefined;
      },
      async synced(signal) {
        await informer.synced(signal);
        informer.#listeners.flush(listener);
      },
      [Symbol.dispose]: () => informer.#listeners.remove(listener),
    };
  }
}
