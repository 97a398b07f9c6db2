// One open watch as the reflector drives it: batches with a resume position, a watchdog against streams that died
// silently, and an end that always frees the connection.

import type { WatchEvent } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { childScope, type Scope } from "#base/abort.ts";
import type { Clock, Timer } from "#base/clock.ts";
import { TransportError } from "#base/http.ts";
import type { Watch } from "#client/client.ts";
import { SilentWatch } from "#informers/errors.ts";

/**
 * A healthy server sends a bookmark about once a minute, and was seen to take two. A stream counts as dead only after a
 * much longer silence, and only if it has sent a bookmark before.
 */
export const SILENCE_MS_MAX = 150_000;
/** A server ends a watch after the requested time. If it has not done so this much later, the connection is dead. */
const OVERTIME_MS = 30_000;

export interface WatchSessionOptions<T> {
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  readonly open: (signal: AbortSignal) => Promise<Watch<T>>;
}

export class WatchSession<T extends StoredObject> implements Disposable {
  readonly #clock: Clock;
  readonly #scope: Scope;
  readonly #events: AsyncIterator<readonly WatchEvent<T>[]>;
  readonly #deadlineAt: number;
  #unread: readonly WatchEvent<T>[] = [];
  #hasSentBookmark = false;
  #lastHeardAt: number;
  #watchdog: Timer | undefined;
  #startedAt: number;
  eventCount = 0;

  private constructor(scope: Scope, watch: Watch<T>, options: WatchSessionOptions<T>, startedAt: number) {
    this.#clock = options.clock;
    this.#scope = scope;
    this.#events = watch[Symbol.asyncIterator]();
    this.#startedAt = startedAt;
    this.#lastHeardAt = startedAt;
    this.#deadlineAt = startedAt + options.timeoutSeconds * 1000 + OVERTIME_MS;
    this.#armWatchdog();
  }

  /** The time before the request counts, because some proxies send headers only with the first event. */
  static async open<T extends StoredObject>(
    options: WatchSessionOptions<T>,
    signal: AbortSignal,
  ): Promise<WatchSession<T>> {
    const { clock, timeoutSeconds } = options;
    const startedAt = clock.monotonicMs();
    const scope = childScope(signal);
    const openMsMax = timeoutSeconds * 1000 + OVERTIME_MS;
    using _limit = clock.after(openMsMax, () => scope.abort(new SilentWatch(openMsMax)));
    try {
      return new WatchSession(scope, await options.open(scope.signal), options, startedAt);
    } catch (error) {
      scope[Symbol.dispose]();
      throw error;
    }
  }

  get ageMs(): number {
    return this.#clock.monotonicMs() - this.#startedAt;
  }

  /** Restarts the age and the event count. */
  restartCount(): void {
    this.#startedAt = this.#clock.monotonicMs();
    this.eventCount = 0;
  }

  /** The next events, or undefined when the stream has ended: cleanly, cut or silent. */
  // Upstream: apimachinery/pkg/watch/streamwatcher.go, receive, where a cut stream counts as an ended one
  async next(): Promise<readonly WatchEvent<T>[] | undefined> {
    if (this.#unread.length > 0) {
      const batch = this.#unread;
      this.#unread = [];
      return batch;
    }
    try {
      const result = await this.#events.next();
      this.#lastHeardAt = this.#clock.monotonicMs();
      return result.done ? undefined : result.value;
    } catch (error) {
      const { reason } = this.#scope.signal;
      if (error instanceof TransportError || reason instanceof SilentWatch) return undefined;
      throw error;
    }
  }

  /** Puts events back: the next call of next() returns them. */
  unread(events: readonly WatchEvent<T>[]): void {
    this.#unread = events;
  }

  /** From now on a long silence means that the stream is dead. */
  noteBookmark(): void {
    if (this.#hasSentBookmark) return;
    this.#hasSentBookmark = true;
    this.#armWatchdog();
  }

  /** Fires at the earliest moment at which the stream can count as dead, then checks again. */
  #armWatchdog(): void {
    this.#watchdog?.[Symbol.dispose]();
    const silentAt = this.#hasSentBookmark ? this.#lastHeardAt + SILENCE_MS_MAX : Number.POSITIVE_INFINITY;
    const deadAt = Math.min(silentAt, this.#deadlineAt);
    const now = this.#clock.monotonicMs();
    if (now >= deadAt) this.#scope.abort(new SilentWatch(now - this.#lastHeardAt));
    else this.#watchdog = this.#clock.after(deadAt - now, () => this.#armWatchdog());
  }

  [Symbol.dispose](): void {
    this.#watchdog?.[Symbol.dispose]();
    this.#scope[Symbol.dispose]();
  }
}
