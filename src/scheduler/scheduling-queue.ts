// The pods that wait for a node: those to try next by priority and age, those in back-off, and unschedulable ones that
// wait for a change.
// Upstream: pkg/scheduler/backend/queue

import type { Clock, Timer } from "#base/clock.ts";
import { Heap, type HeapItem } from "#base/heap.ts";
import { type ClusterEvent, type EventSubject, mayHelp } from "./cluster-event.ts";
import { type PodFacts, priorityOf } from "./pod-facts.ts";
import type { PluginName } from "./rejection.ts";

const INITIAL_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 10_000;
/** A pod that no event has helped is tried again after this time. */
const UNSCHEDULABLE_MS_MAX = 5 * 60_000;
const FLUSH_INTERVAL_MS = 30_000;

export interface QueuedPod extends HeapItem {
  facts: PodFacts;
  priority: number;
  /** When the pod was queued, in monotonic milliseconds. */
  sinceMs: number;
  readonly sequence: number;
  attempts: number;
  backoffUntilMs: number;
  /** The plugins of the last rejection. */
  plugins: ReadonlySet<PluginName>;
  place: "active" | "backoff" | "error" | "unschedulable" | "taken";
}

export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #onReady: () => void;
  /** By UID. */
  readonly #pods = new Map<string, QueuedPod>();
  readonly #active = new Heap<QueuedPod>(comesFirst);
  readonly #backoff = new Heap<QueuedPod>(endsBackoffFirst);
  /**
   * The back-off after an error always runs in full: it is not due to the cluster's state, and an immediate retry would
   * not help.
   */
  readonly #errors = new Heap<QueuedPod>(endsBackoffFirst);
  readonly #unschedulable = new Set<QueuedPod>();
  #errorTimer: Timer | undefined;
  #flushTimer: Timer | undefined;
  #sequence = 0;

  /** onReady: called when a pod can be taken. */
  constructor(clock: Clock, onReady: () => void) {
    this.#clock = clock;
    this.#onReady = onReady;
  }

  factsOf(uid: string): PodFacts | undefined {
    return this.#pods.get(uid)?.facts;
  }

  /** Adds a new pod, or a known one with changed spec or labels, which may help. */
  add(facts: PodFacts): void {
    const { uid } = facts.pod.metadata;
    const known = this.#pods.get(uid);
    if (known === undefined) {
      this.#activate(this.#register(facts));
      return;
    }
    known.facts = facts;
    known.priority = priorityOf(facts.pod);
    if (known.place === "active") this.#active.fix(known);
    if (known.place === "unschedulable") this.#retry(known);
  }

  /** The pod changed in a way that does not affect scheduling. */
  refresh(facts: PodFacts): void {
    const known = this.#pods.get(facts.pod.metadata.uid);
    if (known !== undefined) known.facts = facts;
  }

  remove(uid: string): void {
    const queued = this.#pods.get(uid);
    if (queued === undefined) return;
    this.#pods.delete(uid);
    this.#takeOut(queued);
  }

  /** The next pod to try. If no other pod is ready, pods in back-off are taken early. */
  take(): QueuedPod | undefined {
    const now = this.#clock.monotonicMs();
    while ((this.#backoff.peek()?.backoffUntilMs ?? Number.POSITIVE_INFINITY) <= now) {
      this.#activate(this.#backoff.pop() as QueuedPod);
    }
    const queued = this.#active.pop() ?? this.#backoff.pop();
    if (queued === undefined) return undefined;
    queued.place = "taken";
    queued.attempts++;
    return queued;
  }

  /** No node fits the pod. It waits for an event that concerns these plugins. */
  giveBackUnschedulable(queued: QueuedPod, plugins: ReadonlySet<PluginName>): void {
    if (this.#pods.get(queued.facts.pod.metadata.uid) !== queued) return;
    queued.plugins = plugins;
    queued.sinceMs = this.#clock.monotonicMs();
    queued.backoffUntilMs = queued.sinceMs + backoffMs(queued.attempts);
    queued.place = "unschedulable";
    this.#unschedulable.add(queued);
    this.#flushTimer ??= this.#clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }

  /** An attempt failed with an error, not because of the cluster's state: the pod is retried after its back-off. */
  giveBackAfterError(queued: QueuedPod): void {
    if (this.#pods.get(queued.facts.pod.metadata.uid) !== queued) return;
    queued.sinceMs = this.#clock.monotonicMs();
    queued.backoffUntilMs = queued.sinceMs + backoffMs(queued.attempts);
    queued.place = "error";
    this.#errors.push(queued);
    this.#waitForErrors();
  }

  /** Queues the pods that this event may help. subject: the pod or claim of the event. */
  moveAfter(event: ClusterEvent, subject?: EventSubject): void {
    for (const queued of this.#unschedulable) {
      if (mayHelp(event, queued, subject)) this.#retry(queued);
    }
  }

  [Symbol.dispose](): void {
    this.#errorTimer?.[Symbol.dispose]();
    this.#flushTimer?.[Symbol.dispose]();
  }

  #register(facts: PodFacts): QueuedPod {
    const queued: QueuedPod = {
      facts,
      priority: priorityOf(facts.pod),
      sinceMs: this.#clock.monotonicMs(),
      sequence: this.#sequence++,
      attempts: 0,
      backoffUntilMs: 0,
      plugins: new Set(),
      place: "taken",
      heapIndex: -1,
    };
    this.#pods.set(facts.pod.metadata.uid, queued);
    return queued;
  }

  #activate(queued: QueuedPod): void {
    queued.place = "active";
    this.#active.push(queued);
    this.#onReady();
  }

  #retry(queued: QueuedPod): void {
    this.#unschedulable.delete(queued);
    if (queued.backoffUntilMs <= this.#clock.monotonicMs()) {
      this.#activate(queued);
      return;
    }
    queued.place = "backoff";
    this.#backoff.push(queued);
    this.#onReady();
  }

  #takeOut(queued: QueuedPod): void {
    if (queued.place === "active") this.#active.remove(queued);
    if (queued.place === "backoff") this.#backoff.remove(queued);
    if (queued.place === "error") this.#errors.remove(queued);
    this.#unschedulable.delete(queued);
  }

  #waitForErrors(): void {
    this.#errorTimer?.[Symbol.dispose]();
    const next = this.#errors.peek();
    if (next === undefined) return;
    this.#errorTimer = this.#clock.after(next.backoffUntilMs - this.#clock.monotonicMs(), () => {
      const now = this.#clock.monotonicMs();
      while ((this.#errors.peek()?.backoffUntilMs ?? Number.POSITIVE_INFINITY) <= now) {
        this.#activate(this.#errors.pop() as QueuedPod);
      }
      this.#waitForErrors();
    });
  }

  #flush(): void {
    const before = this.#clock.monotonicMs() - UNSCHEDULABLE_MS_MAX;
    for (const queued of this.#unschedulable) if (queued.sinceMs <= before) this.#retry(queued);
    this.#flushTimer =
      this.#unschedulable.size === 0 ? undefined : this.#clock.after(FLUSH_INTERVAL_MS, () => this.#flush());
  }
}

/** Doubles with each attempt. */
export function backoffMs(attempts: number): number {
  return Math.min(INITIAL_BACKOFF_MS * 2 ** Math.max(0, attempts - 1), MAX_BACKOFF_MS);
}

function comesFirst(a: QueuedPod, b: QueuedPod): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority;
  return a.sinceMs !== b.sinceMs ? a.sinceMs < b.sinceMs : a.sequence < b.sequence;
}

function endsBackoffFirst(a: QueuedPod, b: QueuedPod): boolean {
  return a.backoffUntilMs !== b.backoffUntilMs ? a.backoffUntilMs < b.backoffUntilMs : comesFirst(a, b);
}
