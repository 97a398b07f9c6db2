// A queue of keys that need work. A key is in the queue at most once and is never with two workers at the same time. A
// key that is added while a worker holds it is queued again afterwards. Keys are equal when their ids are equal.
// Upstream: k8s.io/client-go/util/workqueue/queue.go
import { Fifo } from "#base/fifo.ts";
import { type QueueMetricsOptions, queueMetrics } from "./metrics.ts";

export interface Queue<K> {
  /** Marks the key as needing work. After shutDown this does nothing. */
  add(key: K): void;
  /** The next key, in order of adds; callers are served in order of calls. Undefined: shut down and empty. */
  get(signal: AbortSignal): Promise<K | undefined>;
  /** The worker that got the key has finished with it, successfully or not. */
  done(key: K): void;
  /** Keys waiting for a worker. */
  length(): number;
  /** Takes no more keys; those queued are still handed out. */
  shutDown(): void;
  /** Like shutDown, and waits until no key is being worked on. A later shutDown ends the wait. */
  shutDownWithDrain(signal: AbortSignal): Promise<void>;
  isShuttingDown(): boolean;
}

export interface QueueOptions<K> extends QueueMetricsOptions {
  /** The identity of a key; the key itself unless given, so strings compare by value and objects by identity. */
  readonly idOf?: (key: K) => unknown;
}

interface Waiter<K> {
  readonly resolve: (key: K | undefined) => void;
  readonly unlink: () => void;
}

export function createQueue<K extends {}>(options: QueueOptions<K>): Queue<K> {
  const { idOf = itself } = options;
  const metrics = queueMetrics(options);
  /** Keys in the order in which workers get them; each is dirty and not being worked on. */
  const order = new Fifo<K>();
  /** Ids of keys. */
  const dirty = new Set<unknown>();
  const processing = new Set<unknown>();
  /** Workers without a key, in order. While there are any, `order` is empty. */
  const waiters = new Set<Waiter<K>>();
  const drains = new Set<() => void>();
  let isShuttingDown = false;

  const take = (key: K): K => {
    const id = idOf(key);
    metrics?.taken(id);
    processing.add(id);
    dirty.delete(id);
    return key;
  };

  const release = (waiter: Waiter<K>, key: K | undefined): void => {
    waiters.delete(waiter);
    waiter.unlink();
    waiter.resolve(key);
  };

  const push = (key: K): void => {
    const waiter = waiters.values().next().value;
    if (waiter === undefined) order.push(key);
    else release(waiter, take(key));
  };

  const endDrains = (): void => {
    for (const end of drains) end();
    drains.clear();
  };

  const shutDown = (): void => {
    isShuttingDown = true;
    for (const waiter of waiters) release(waiter, undefined);
  };

  return {
    add(key) {
      const id = idOf(key);
      if (isShuttingDown || dirty.has(id)) return;
      metrics?.added(id);
      dirty.add(id);
      if (!processing.has(id)) push(key);
    },

    get(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      const key = order.shift();
      if (key !== undefined) return Promise.resolve(take(key));
      if (isShuttingDown) return Promise.resolve(undefined);
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          waiters.delete(waiter);
          reject(signal.reason);
        };
        const waiter: Waiter<K> = { resolve, unlink: () => signal.removeEventListener("abort", onAbort) };
        waiters.add(waiter);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },

    done(key) {
      const id = idOf(key);
      metrics?.done(id);
      processing.delete(id);
      if (dirty.has(id)) push(key);
      if (processing.size === 0) endDrains();
    },

    length: () => order.size,

    shutDown() {
      shutDown();
      endDrains();
    },

    shutDownWithDrain(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      shutDown();
      if (processing.size === 0) return Promise.resolve();
      return new Promise((resolve, reject) => {
        const end = (): void => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        };
        const onAbort = (): void => {
          drains.delete(end);
          reject(signal.reason);
        };
        drains.add(end);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    },

    isShuttingDown: () => isShuttingDown,
  };
}

export function itself(key: unknown): unknown {
  return key;
}
