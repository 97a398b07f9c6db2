// Turns the events of one broadcaster into few API writes: repeats raise a count, many similar messages become one
// combined event, and a source with too many events is throttled.
// Upstream: client-go/tools/record/events_cache.go, EventCorrelator.

import { formatTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import { TokenBucket } from "#base/token-bucket.ts";
import { LruMap } from "../lru.ts";
import type { NamedEvent } from "./recorder.ts";

const CACHE_ENTRIES_MAX = 4096;
const AGGREGATE_AT_MESSAGES = 10;
const AGGREGATE_GAP_MS_MAX = 600_000;
const SPAM_BURST = 25;
const SPAM_REFILL_PER_SECOND = 1 / 300;

/** The write to send: a new event, or a patch that raises the count of an event already sent. */
export type Correlated =
  | { readonly kind: "drop" }
  | { readonly kind: "create"; readonly event: NamedEvent }
  | { readonly kind: "patch"; readonly event: NamedEvent; readonly patch: EventPatch };

export interface EventPatch {
  readonly count: number;
  readonly lastTimestamp: string;
  readonly message?: string;
}

interface Aggregate {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Observation {
  readonly name: string;
  readonly firstTimestamp: string;
  readonly count: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #aggregates = new LruMap<Aggregate>(CACHE_ENTRIES_MAX);
  readonly #observations = new LruMap<Observation>(CACHE_ENTRIES_MAX);
  readonly #buckets = new LruMap<TokenBucket>(CACHE_ENTRIES_MAX);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Aggregate, then count, then filter: a filtered event still advances the count. */
  correlate(event: NamedEvent, uniqueName: (involved: string) => string): Correlated {
    const { event: aggregated, key } = this.#aggregate(event, uniqueName);
    const result = this.#observe(aggregated, key);
    return this.#isSpam(aggregated) ? { kind: "drop" } : result;
  }

  /** The server's answer becomes the base of the next count. */
  observeAnswer(event: NamedEvent): void {
    this.#observations.set(observeKey(event), observationOf(event));
  }

  #aggregate(event: NamedEvent, uniqueName: (involved: string) => string): { event: NamedEvent; key: string } {
    const now = this.#clock.now();
    const key = aggregateKey(event);
    let aggregate = this.#aggregates.get(key);
    if (aggregate === undefined || now - aggregate.lastMs > AGGREGATE_GAP_MS_MAX) {
      aggregate = { messages: new Set(), lastMs: now };
      this.#aggregates.set(key, aggregate);
    }
    aggregate.messages.add(event.message ?? "");
    aggregate.lastMs = now;
    if (aggregate.messages.size < AGGREGATE_AT_MESSAGES) return { event, key: observeKey(event) };

    const [oldest] = aggregate.messages; // keeps the size constant: each new message replaces the oldest
    aggregate.messages.delete(oldest ?? "");
    const time = formatTime(now);
    const combined: NamedEvent = {
      metadata: {
        name: uniqueName(event.involvedObject.name ?? ""),
        namespace: event.metadata.namespace,
      },
      involvedObject: event.involvedObject,
      reason: event.reason ?? "",
      message: `(combined from similar events): ${event.message ?? ""}`,
      source: event.source ?? {},
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: event.type ?? "",
    };
    return { event: combined, key };
  }

  #observe(event: NamedEvent, key: string): Correlated {
    const last = this.#observations.get(key);
    if (last === undefined || last.count === 0) {
      this.#observations.set(key, observationOf(event));
      return { kind: "create", event };
    }
    const repeated: NamedEvent = {
      ...event,
      metadata: { ...event.metadata, name: last.name },
      firstTimestamp: last.firstTimestamp,
      count: last.count + 1,
    };
    this.#observations.set(key, observationOf(repeated));
    const patch: EventPatch = {
      count: last.count + 1,
      lastTimestamp: event.lastTimestamp ?? "",
      ...(event.message ? { message: event.message } : {}),
    };
    return { kind: "patch", event: repeated, patch };
  }

  #isSpam(event: NamedEvent): boolean {
    const key = spamKey(event);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket(this.#clock, { perSecond: SPAM_REFILL_PER_SECOND, burst: SPAM_BURST });
      this.#buckets.set(key, bucket);
    }
    return !bucket.tryTake();
  }
}

function observationOf(event: NamedEvent): Observation {
  return {
    name: event.metadata.name,
    firstTimestamp: event.firstTimestamp ?? "",
    count: event.count ?? 0,
  };
}

function sourceAndObject(event: NamedEvent): readonly (string | undefined)[] {
  const { source, involvedObject: on } = event;
  return [source?.component, source?.host, on.kind, on.namespace, on.name, on.uid, on.apiVersion, event.type];
}

/** NUL cannot occur in any part, so different parts never join to the same key. */
const join = (parts: readonly (string | undefined)[]): string => parts.map((part) => part ?? "").join("\0");

const spamKey = (event: NamedEvent): string => join(sourceAndObject(event));

const aggregateKey = (event: NamedEvent): string =>
  join([...sourceAndObject(event), event.reason, event.reportingComponent, event.reportingInstance]);

const observeKey = (event: NamedEvent): string =>
  join([...sourceAndObject(event), event.involvedObject.fieldPath, event.reason, event.message]);
