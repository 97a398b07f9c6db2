// The handlers of one informer. Each handler sees every event in order. Events are delivered at once, so no buffer can
// grow. If a handler throws, the error is reported and the other handlers still get the event.

import type { StoredObject } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";

export class Listener<T extends StoredObject> {
  readonly handler: EventHandler<T>;
  /** 0: never. */
  readonly resyncMs: number;
  nextResyncAt: number;
  /** True if this handler gets updates that change nothing. True until a resync check says otherwise. */
  isSyncing = true;
  /** The additions that a late handler must hear before any other event. */
  pendingAdds: readonly T[] | undefined;

  constructor(handler: EventHandler<T>, resyncMs: number, now: number) {
    this.handler = handler;
    this.resyncMs = resyncMs;
    this.nextResyncAt = now + resyncMs;
  }
}

export class Listeners<T extends StoredObject> {
  /** Replaced, never changed, so that a delivery reaches the handlers that were there when it began. */
  #all: readonly Listener<T>[] = [];
  readonly #onHandlerError: (error: unknown) => void;

  constructor(onHandlerError: (error: unknown) => void) {
    this.#onHandlerError = onHandlerError;
  }

  /** The handlers that get the next event. */
  get current(): readonly Listener<T>[] {
    return this.#all;
  }

  add(listener: Listener<T>): void {
    this.#all = [...this.#all, listener];
  }

  remove(listener: Listener<T>): void {
    this.#all = this.#all.filter((other) => other !== listener);
  }

  clear(): void {
    this.#all = [];
  }

  added(to: readonly Listener<T>[], object: T, isInInitialList: boolean): void {
    this.#deliver(to, (handler) => handler.onAdd?.(object, isInInitialList));
  }

  /** Equal versions mean a resync or a relist: only handlers that are syncing get the update. */
  updated(to: readonly Listener<T>[], oldObject: T, newObject: T): void {
    const isSync = oldObject.metadata.resourceVersion === newObject.metadata.resourceVersion;
    const audience = isSync ? to.filter((listener) => listener.isSyncing) : to;
    this.#deliver(audience, (handler) => handler.onUpdate?.(oldObject, newObject));
  }

  deleted(to: readonly Listener<T>[], object: T, isFinalStateUnknown: boolean): void {
    this.#deliver(to, (handler) => handler.onDelete?.(object, isFinalStateUnknown));
  }

  /** Delivers to a late handler the objects that were in the store when it was added. */
  flush(listener: Listener<T>): void {
    const adds = listener.pendingAdds;
    if (!adds) return;
    listener.pendingAdds = undefined;
    for (const object of adds) this.#call(listener, (handler) => handler.onAdd?.(object, true));
  }

  /** Marks the handlers that are due for a resync, and returns whether there are any. */
  // Upstream: client-go/tools/cache/shared_informer.go, sharedProcessor.shouldResync
  checkResync(now: number): boolean {
    let isAnyDue = false;
    for (const listener of this.#all) {
      listener.isSyncing = listener.resyncMs > 0 && now >= listener.nextResyncAt;
      if (!listener.isSyncing) continue;
      isAnyDue = true;
      listener.nextResyncAt = now + listener.resyncMs;
    }
    return isAnyDue;
  }

  #deliver(to: readonly Listener<T>[], call: (handler: EventHandler<T>) => void): void {
    for (const listener of to) {
      if (listener.pendingAdds) this.flush(listener);
      this.#call(listener, call);
    }
  }

  #call(listener: Listener<T>, call: (handler: EventHandler<T>) => void): void {
    if (!this.#all.includes(listener)) return;
    try {
      call(listener.handler);
    } catch (error) {
      this.#onHandlerError(error);
    }
  }
}
