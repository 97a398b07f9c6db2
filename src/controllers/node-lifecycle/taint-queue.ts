// The nodes of a zone that wait for a NoExecute taint, at a limited rate. A node that was tainted stays known to the
// queue, so that the next pass does not add it again, until it is removed.
// Upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue.go.

import type { Clock } from "#base/clock.ts";
import { Heap, type HeapItem } from "#base/heap.ts";
import { TokenBucket } from "#base/token-bucket.ts";

const BURST = 1;
/** A nanosecond: a failed node is queued behind those that were added at the same time. */
const BEHIND_MS = 1e-6;

interface Waiting extends HeapItem {
  readonly node: string;
  readonly atMs: number;
  readonly sequence: number;
}

/** retryAfterMs: undefined when the node needs no retry. */
export interface Tried {
  readonly retryAfterMs?: number;
}

export class TaintQueue {
  readonly #clock: Clock;
  readonly #waiting = new Heap<Waiting>((a, b) => a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence));
  /** The nodes that were added and not removed; undefined: the node no longer waits. */
  readonly #known = new Map<string, Waiting | undefined>();
  /** Absent: the queue is stopped. */
  #bucket: TokenBucket | undefined;
  #perSecond: number;
  #sequence = 0;
  readonly #onWait: () => void;

  /** onWait: called when a node begins to wait. */
  constructor(clock: Clock, perSecond: number, onWait: () => void = () => undefined) {
    this.#clock = clock;
    this.#onWait = onWait;
    this.#perSecond = Math.fround(perSecond);
    this.#bucket = new TokenBucket(clock, { perSecond: this.#perSecond, burst: BURST });
  }

  /** True if no node waits. */
  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** False if the node is already known. */
  add(node: string): boolean {
    if (this.#known.has(node)) return false;
    this.#wait(node, this.#clock.monotonicMs());
    return true;
  }

  /** Forgets the node: it may be added again. False for a node that was not known. */
  remove(node: string): boolean {
    const waiting = this.#known.get(node);
    if (waiting !== undefined) this.#waiting.remove(waiting);
    return this.#known.delete(node);
  }

  /**
   * Passes waiting nodes to `attempt`, as many as the rate allows now. A call that finds none due also costs a token.
   */
  async try(attempt: (node: string) => Promise<Tried>): Promise<void> {
    for (;;) {
      const next = this.#waiting.peek();
      if (next === undefined || this.#bucket?.tryTake() !== true) return;
      const nowMs = this.#clock.monotonicMs();
      if (nowMs < next.atMs) return;
      const { retryAfterMs } = await attempt(next.node);
      // Meanwhile the node may have been removed, and added again.
      if (this.#known.get(next.node) !== next) continue;
      this.#waiting.remove(next);
      if (retryAfterMs === undefined) this.#known.set(next.node, undefined);
      else this.#wait(next.node, nowMs + retryAfterMs + BEHIND_MS);
    }
  }

  /** 0 stops the queue. An empty bucket is replaced by an empty one. */
  setRate(perSecond: number): void {
    const rate = Math.fround(perSecond);
    // Go's limiter that never accepts reports a rate of 1, so a stopped queue ignores a rate of exactly 1.
    const current = this.#bucket === undefined ? 1 : this.#perSecond;
    if (current === rate) return;
    const old = this.#bucket;
    this.#perSecond = rate;
    this.#bucket = rate <= 0 ? undefined : new TokenBucket(this.#clock, { perSecond: rate, burst: BURST });
    if (this.#bucket !== undefined && old?.tryTake() !== true) this.#bucket.tryTake();
  }

  #wait(node: string, atMs: number): void {
    const waiting: Waiting = { node, atMs, sequence: this.#sequence++, heapIndex: -1 };
    this.#known.set(node, waiting);
    this.#waiting.push(waiting);
    this.#onWait();
  }
}
