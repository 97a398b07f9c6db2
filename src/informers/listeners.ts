// The handlers of one informer. Each sees every event in order; events are delivered at once, so there
// is no buffer that could grow. A handler that throws is reported and does not keep the event from others.

import type { StoredObject } from "#api/resource.ts";
import type { EventHandler } from "#informers/informer.ts";

export class Listener<T extends StoredObject> {
  readonly handler: EventHandler<T>;
  /** 0: never. */
  readonly resyncMs: number;
  nextResyncAt: number;
  /** Does this handler get updates that change nothing? True until a resync check says otherwise. */
  isSyncing = true;
  /** What a late handler has still to be told before anything else. */
  pendingAdds: readonly T[] | undefined;

  constructor(handler: EventHandler<T>, resyncMs: number, now: number) {
    this.handler = handler;
    this.resyncMs = resyncMs;
    this.nextResyncAt = now + resyncMs;
  }
}

export class Listeners<T extends StoredObject> {
  /** Replaced, never changed, so that a delivery goes to those who were there when it began. */
  #all: readonly Listener<T>[] = [];
  readonly #onHandlerError: (error: unknown) => void;

  constructor(onHandlerError: (error: unknown) => void) {
    this.#onHandlerError = onHandlerError;
  }

  /** Those who get what happens next. */
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

  /** Equal versions mean a resync or a relist: only handlers that are syncing hear of it. */
  updated(to: readonly Listener<T>[], oldObject: T, newObject: T): void {
    const isSync = oldObject.metadata.resourceVersion === newObject.metadata.resourceVersion;
    const audience = isSync ? to.filter((listener) => listener.isSyncing) : to;
    this.#deliver(audience, (handler) => handler.onUpdate?.(oldObject, newObject));
  }

  deleted(to: readonly Listener<T>[], object: T, isFinalStateUnknown: boolean): void {
    this.#deliver(to, (handler) => handler.onDelete?.(object, isFinalStateUnknown));
  }

  /** Tells a late handler of what was there when it came. */
  flush(listener: Listener<T>): void {
    const adds = listener.pendingAdds;
    if (!adds) return;
    listener.pendingAdds = undefined;
    for (const object of adds) this.#call(listener, (handler) => handler.onAdd?.(object, true));
  }

  /** Notes who is due for a resync, and says whether anyone is. */
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
