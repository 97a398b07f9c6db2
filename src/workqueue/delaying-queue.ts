// A queue that can add a key after a delay. It uses one timer, for the earliest key, whatever the number of keys.
// Upstream: k8s.io/client-go/util/workqueue/delaying_queue.go
import type { Timer } from "#base/clock.ts";
import { Heap, type HeapItem } from "#base/heap.ts";
import { retryCounter } from "./metrics.ts";
import { createQueue, itself, type Queue, type QueueOptions } from "./queue.ts";

export interface DelayingQueue<K> extends Queue<K> {
  /** Adds the key after ms, or immediately when ms is not positive. Of two delays for one key the earlier end wins. */
  addAfter(key: K, ms: number): void;
}

interface Waiting<K> extends HeapItem {
  readonly key: K;
  readonly sequence: number;
  readyAt: number;
}

// Deviation: no 10 s heartbeat. It guards upstream against lost timers, which the contract of Clock excludes.
export function createDelayingQueue<K extends {}>(options: QueueOptions<K>): DelayingQueue<K> {
  const { clock, idOf = itself } = options;
  const queue = createQueue<K>(options);
  const countRetry = retryCounter(options);
  /** By id. */
  const waiting = new Map<unknown, Waiting<K>>();
  const heap = new Heap<Waiting<K>>(
    (a, b) => a.readyAt < b.readyAt || (a.readyAt === b.readyAt && a.sequence < b.sequence),
  );
  let timer: { readonly at: number; readonly handle: Timer } | undefined;
  let sequence = 0;

  const arm = (): void => {
    const first = heap.peek();
    if (timer !== undefined && timer.at === first?.readyAt) return;
    timer?.handle[Symbol.dispose]();
    timer = undefined;
    if (first === undefined || first.readyAt === Number.POSITIVE_INFINITY) return;
    timer = { at: first.readyAt, handle: clock.after(first.readyAt - clock.monotonicMs(), addReady) };
  };

  const addReady = (): void => {
    timer = undefined;
    const now = clock.monotonicMs();
    for (let first = heap.peek(); first !== undefined && first.readyAt <= now; first = heap.peek()) {
      heap.remove(first);
      waiting.delete(idOf(first.key));
      queue.add(first.key);
    }
    arm();
  };

  const stop = (): void => {
    heap.clear();
    waiting.clear();
    arm();
  };

  return {
    ...queue,

    addAfter(key, ms) {
      if (queue.isShuttingDown()) return;
      countRetry?.();
      if (ms <= 0) {
        queue.add(key);
        return;
      }
      const readyAt = clock.monotonicMs() + ms;
      const id = idOf(key);
      const known = waiting.get(id);
      if (known === undefined) {
        const entry: Waiting<K> = { key, readyAt, sequence: sequence++, heapIndex: -1 };
        waiting.set(id, entry);
        heap.push(entry);
      } else if (readyAt < known.readyAt) {
        known.readyAt = readyAt;
        heap.fix(known);
      }
      arm();
    },

    shutDown() {
      queue.shutDown();
      stop();
    },

    shutDownWithDrain(signal) {
      const drained = queue.shutDownWithDrain(signal);
      if (queue.isShuttingDown()) stop();
      return drained;
    },
  };
}
