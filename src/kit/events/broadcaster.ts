// The event pipeline of one controller: a bounded queue, a log line per event, correlation, and a writer that retries
// only transport errors. Recording an event never blocks or fails a sync.
// Upstream: client-go/tools/record/event.go, eventBroadcasterImpl, recordToSink.

import type { EventSource, ObjectReference } from "#api/generated/types/core-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import { ApiError, isAlreadyExists, isNamespaceTerminating, isNotFound } from "#api/status-error.ts";
import { formatTime } from "#api/time.ts";
import type { Clock } from "#base/clock.ts";
import { isAborted } from "#base/errors.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import { InvalidRequest } from "#client/errors.ts";
import { type Correlated, EventCorrelator } from "./correlator.ts";
import type { EventRecorder, EventSink, EventType, NamedEvent } from "./recorder.ts";

const QUEUED_EVENTS_MAX = 1000;
const TRIES_MAX = 12;
const RETRY_DELAY_MS = 10_000;

export interface BroadcasterDeps {
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger;
  readonly sink: EventSink;
}

export class EventBroadcaster {
  readonly #deps: BroadcasterDeps;
  readonly #correlator: EventCorrelator;
  readonly #queue: NamedEvent[] = [];
  readonly #eventLog: Logger;
  #wake: (() => void) | undefined;
  #lastNameNanos = 0n;

  /** logLevel: the verbosity at which each event is also logged. */
  constructor(deps: BroadcasterDeps, options: { readonly logLevel: number }) {
    this.#deps = deps;
    this.#correlator = new EventCorrelator(deps.clock);
    this.#eventLog = deps.log.v(options.logLevel);
  }

  recorder(component: string): EventRecorder {
    return {
      event: (about, type, reason, message, host) =>
        this.#record({ component, ...(host === undefined ? {} : { host }) }, about, type, reason, message),
    };
  }

  /** Writes queued events until the signal aborts, then drops the rest. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake?.();
    signal.addEventListener("abort", wake, { once: true });
    try {
      while (!signal.aborted) {
        const event = this.#queue.shift();
        if (event === undefined) await new Promise<void>((resolve) => (this.#wake = resolve));
        else await this.#write(event, signal);
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }

  #record(source: EventSource, about: ObjectReference, type: EventType, reason: string, message: string): void {
    const time = formatTime(this.#deps.clock.now());
    const event: NamedEvent = {
      metadata: { name: this.#uniqueName(about.name ?? ""), namespace: about.namespace || "default" },
      involvedObject: about,
      reason,
      message,
      source,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
      reportingComponent: source.component ?? "",
      reportingInstance: source.host ?? "",
    };
    this.#eventLog.info("Event occurred", {
      object: about.namespace ? { namespace: about.namespace, name: about.name } : { name: about.name },
      fieldPath: about.fieldPath ?? "",
      kind: about.kind,
      apiVersion: about.apiVersion,
      type,
      reason,
      message,
    });
    if (this.#queue.length >= QUEUED_EVENTS_MAX) {
      this.#deps.log.error(undefined, "Unable to record event: too many queued events, dropped event", { reason });
      return;
    }
    this.#queue.push(event);
    this.#wake?.();
  }

  async #write(event: NamedEvent, signal: AbortSignal): Promise<void> {
    const correlated = this.#correlator.correlate(event, (name) => this.#uniqueName(name));
    if (correlated.kind === "drop") return;
    const fields = { event: { name: event.metadata.name, namespace: event.metadata.namespace }, reason: event.reason };
    for (let tries = 1; ; tries++) {
      try {
        this.#correlator.observeAnswer(await this.#send(correlated, signal));
        return;
      } catch (error) {
        if (isAborted(error, signal)) return;
        if (error instanceof InvalidRequest) {
          this.#deps.log.error(error, "Unable to construct event (will not retry!)", fields);
          return;
        }
        if (error instanceof ApiError) {
          const isExpected = isAlreadyExists(error) || isNamespaceTerminating(error);
          if (isExpected)
            this.#deps.log.v(5).info("Server rejected event (will not retry!)", { ...fields, err: error });
          else this.#deps.log.error(error, "Server rejected event (will not retry!)", fields);
          return;
        }
        this.#deps.log.error(error, "Unable to write event (may retry after sleeping)", fields);
      }
      if (tries >= TRIES_MAX) {
        this.#deps.log.error(undefined, "Unable to write event (retry limit exceeded!)", fields);
        return;
      }
      // The first delay is random, so that many managers do not retry at the same time after a server restart.
      const delayMs = tries === 1 ? RETRY_DELAY_MS * this.#deps.rng.float() : RETRY_DELAY_MS;
      try {
        await this.#deps.clock.sleep(delayMs, signal);
      } catch (error) {
        if (!isAborted(error, signal)) throw error;
        this.#deps.log.error(undefined, "Unable to write event (broadcaster is shut down)", fields);
        return;
      }
    }
  }

  async #send(correlated: Exclude<Correlated, { kind: "drop" }>, signal: AbortSignal): Promise<NamedEvent> {
    const { sink } = this.#deps;
    if (correlated.kind === "create") return sink.create(correlated.event, signal);
    try {
      return await sink.patch(correlated.event, correlated.patch, signal);
    } catch (error) {
      if (isNotFound(error)) return sink.create(correlated.event, signal);
      throw error;
    }
  }

  /** "<object>.<nanoseconds in hex>", always unique: two events may share one tick of the clock. */
  #uniqueName(involved: string): string {
    const nanos = BigInt(Math.round(this.#deps.clock.now() * 1000)) * 1000n;
    this.#lastNameNanos = nanos > this.#lastNameNanos ? nanos : this.#lastNameNanos + 1n;
    const name = `${involved}.${this.#lastNameNanos.toString(16)}`;
    return isDns1123Subdomain(name).length === 0 ? name : this.#deps.rng.uuid();
  }
}
