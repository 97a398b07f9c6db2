// Keeps a cache equal to what the API server has: a state machine with one method per state, each of
// which returns the next state. It ends only when its signal aborts.
//
//   begin       chooses how to get the whole state          -> streamList | list
//   streamList  whole state by a watch with initial events  -> follow (same stream) | list (not offered)
//                                                              | itself (stream ended or version expired)
//                                                              | pause, then itself (429, refused)
//   list        whole state by LIST, in pages if need be    -> openWatch | pause, then begin
//   openWatch   a watch from the last version               -> follow | pause, then itself (429, refused)
//                                                              | pause, then begin (any other error)
//   follow      the events of one stream                    -> openWatch (stream ended)
//                                                              | pause, then openWatch (429)
//                                                              | pause, then begin (expired, error, too short)
//   pause       waits out the backoff, then goes where it was told
//
// Upstream: client-go/tools/cache/reflector.go

import type { Status } from "#api/meta.ts";
import { type ObjectKey, objectKey, type WatchEvent } from "#api/object.ts";
import type { StoredObject } from "#api/resource.ts";
import { ApiError, isTooManyRequests } from "#api/status-error.ts";
import { deadlineScope } from "#base/abort.ts";
import type { Clock, Timer } from "#base/clock.ts";
import { errorMessage } from "#base/errors.ts";
import { delaysWithReset } from "#base/go-backoff.ts";
import type { Logger } from "#base/log.ts";
import type { Rng } from "#base/rng.ts";
import type { ResourceClient, Selection, WatchRequest } from "#client/client.ts";
import { applyBatch, type ReflectorTarget } from "#informers/apply-batch.ts";
import { warnWhileWithoutBookmark } from "#informers/bookmark-warning.ts";
import { isOlderVersion } from "#informers/cache.ts";
import {
  isExpiredVersion,
  isOverloadedOrDown,
  isTooLargeVersion,
  StateWentBack,
  VeryShortWatch,
} from "#informers/errors.ts";
import { EventIntake } from "#informers/event-intake.ts";
import type { Transform } from "#informers/informer.ts";
import { listAllPages, type PagedList } from "#informers/pager.ts";
import { WatchSession } from "#informers/watch-session.ts";

export interface ReflectorOptions<T extends StoredObject> {
  /** Appears in logs. */
  readonly name: string;
  readonly client: Pick<ResourceClient<T>, "list" | "watch">;
  readonly selection: Selection;
  readonly target: ReflectorTarget<T>;
  readonly transform: Transform<T>;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log: Logger | undefined;
  /** Gate WatchListClient. */
  readonly usesWatchList: boolean;
  /** How often to check whether a resync is due; 0: never. Only while following. */
  readonly resyncCheckMs: number;
  readonly onResyncCheck: () => void;
}

type State<T extends StoredObject> =
  | { readonly at: "begin" }
  | { readonly at: "streamList" }
  | { readonly at: "list" }
  | { readonly at: "openWatch" }
  | { readonly at: "follow"; readonly session: WatchSession<T>; readonly isPastSynthetic: boolean }
  | { readonly at: "pause"; readonly next: State<T> };

const BEGIN = { at: "begin" } as const;
const STREAM_LIST = { at: "streamList" } as const;
const LIST = { at: "list" } as const;
const OPEN_WATCH = { at: "openWatch" } as const;

const BACKOFF = { durationMs: 800, factor: 2, jitter: 1, capMs: 30_000, steps: 38 };
const BACKOFF_RESET_MS = 120_000;
const WATCH_TIMEOUT_SECONDS_MIN = 300;
const PAGE_SIZE = 500;
/** The server gives up on a list after 60 s, so an answer that takes longer than this will never come. */
const LIST_MS_MAX = 300_000;
const SHORT_WATCH_MS = 1000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

interface WholeState<T> {
  readonly objects: readonly T[];
  readonly resourceVersion: string;
}

export class Reflector<T extends StoredObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #intake: EventIntake<T>;
  readonly #nextDelayMs: () => number;
  #lastVersion = "";
  /** The server cannot answer for the last version (expired, or not reached yet): ask for the newest state. */
  #isLastVersionUnavailable = false;
  /** The server reported that it is behind the last version, so it was restored from a backup: going back is right. */
  #isRestored = false;
  /** The first list came in pages, so paging costs the server nothing extra. */
  #prefersPages = false;
  #resyncTimer: Timer | undefined;

  constructor(options: ReflectorOptions<T>) {
    const { clock, rng } = options;
    this.#options = options;
    this.#intake = new EventIntake(options);
    this.#nextDelayMs = delaysWithReset(BACKOFF, BACKOFF_RESET_MS, { clock, rng });
  }

  get lastSyncResourceVersion(): string {
    return this.#lastVersion;
  }

  /** Returns when the signal aborts. Rejects only with an error that the target throws, which is a bug. */
  async run(signal: AbortSignal): Promise<void> {
    const { name, log } = this.#options;
    log?.v(3).info("Starting reflector", { type: name });
    let state: State<T> = BEGIN;
    try {
      while (!signal.aborted) state = await this.#step(state, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      if (state.at === "follow") state.session[Symbol.dispose]();
      this.#stopResync();
      log?.v(3).info("Stopping reflector", { type: name });
    }
  }

  #step(state: State<T>, signal: AbortSignal): Promise<State<T>> {
    switch (state.at) {
      case "begin":
        return this.#begin();
      case "streamList":
        return this.#streamList(signal);
      case "list":
        return this.#list(signal);
      case "openWatch":
        return this.#openWatch(signal);
      case "follow":
        return this.#follow(state.session, state.isPastSynthetic, signal);
      case "pause":
        return this.#pause(state.next, signal);
    }
  }

  async #begin(): Promise<State<T>> {
    this.#options.log?.v(3).info("Listing and watching", { type: this.#options.name });
    this.#stopResync();
    return this.#options.usesWatchList ? STREAM_LIST : LIST;
  }

  async #pause(next: State<T>, signal: AbortSignal): Promise<State<T>> {
    await this.#options.clock.sleep(this.#nextDelayMs(), signal);
    return next;
  }

  async #streamList(signal: AbortSignal): Promise<State<T>> {
    let session: WatchSession<T> | undefined;
    let initial: WholeState<T> | undefined;
    try {
      const from = this.#isLastVersionUnavailable ? "" : this.#lastVersion;
      session = await this.#openSession(
        { resourceVersion: from, resourceVersionMatch: "NotOlderThan", sendInitialEvents: true },
        signal,
      );
      initial = await this.#readInitial(session);
      if (initial) this.#assertNotBack(initial.resourceVersion);
    } catch (error) {
      session?.[Symbol.dispose]();
      if (signal.aborted) throw signal.reason;
      return this.#afterFailedStream(error);
    }
    if (!initial) {
      session[Symbol.dispose]();
      return STREAM_LIST;
    }
    this.#install(initial);
    session.restartCount();
    return { at: "follow", session, isPastSynthetic: true };
  }

  #afterFailedStream(error: unknown): State<T> {
    const { log, name } = this.#options;
    if (isOverloadedOrDown(error)) {
      log?.v(2).info("watch-list failed - backing off", { type: name, err: String(error) });
      return { at: "pause", next: STREAM_LIST };
    }
    if (this.#noteUnavailable(error)) return STREAM_LIST;
    log
      ?.v(4)
      .info(
        "Data couldn't be fetched in watchlist mode. Falling back to regular list. This is expected if watchlist is not supported or disabled in kube-apiserver.",
        { type: name, err: String(error) },
      );
    return LIST;
  }

  /** The objects before the bookmark that ends the initial list; undefined when the stream ended before it. */
  async #readInitial(session: WatchSession<T>): Promise<WholeState<T> | undefined> {
    const { name, clock, log } = this.#options;
    const objects = new Map<ObjectKey, T>();
    using _warning = warnWhileWithoutBookmark({ name, clock, log, eventCount: () => session.eventCount });
    for (let batch = await session.next(); batch; batch = await session.next()) {
      for (const [i, event] of batch.entries()) {
        if (event.type === "ERROR") throw new ApiError(event.object as Status);
        if (!this.#intake.accepts(event)) continue;
        session.eventCount++;
        const { metadata } = event.object;
        if (event.type === "BOOKMARK") {
          session.noteBookmark();
          if (metadata?.annotations?.[INITIAL_EVENTS_END] !== "true") continue;
          session.unread(batch.slice(i + 1));
          return { objects: [...objects.values()], resourceVersion: metadata.resourceVersion ?? "" };
        }
        const object = event.type === "DELETED" ? undefined : this.#intake.transformed(event.object);
        if (object) objects.set(objectKey(object), object);
        else objects.delete(objectKey(event.object));
      }
    }
    if (session.eventCount === 0 && session.ageMs < SHORT_WATCH_MS) throw new VeryShortWatch(name);
    return undefined;
  }

  async #list(signal: AbortSignal): Promise<State<T>> {
    const { log, name } = this.#options;
    let list: PagedList<T>;
    try {
      const requested = this.#listVersion();
      try {
        list = await this.#fetchList(requested, signal);
      } catch (error) {
        if (signal.aborted || !this.#noteUnavailable(error)) throw error;
        list = await this.#fetchList(this.#listVersion(), signal);
      }
      this.#intake.checkList(list);
      this.#assertNotBack(list.resourceVersion);
      if (requested === "0" && list.isPaginated) this.#prefersPages = true;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      log?.error(error, "Failed to watch", { type: name, step: "list" });
      return { at: "pause", next: BEGIN };
    }
    this.#install({ objects: list.items, resourceVersion: list.resourceVersion });
    return OPEN_WATCH;
  }

  async #openWatch(signal: AbortSignal): Promise<State<T>> {
    const { log, name } = this.#options;
    const resourceVersion = this.#lastVersion;
    try {
      const session = await this.#openSession({ resourceVersion }, signal);
      return { at: "follow", session, isPastSynthetic: resourceVersion !== "" && resourceVersion !== "0" };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (isOverloadedOrDown(error)) {
        log?.v(4).info("Watch failed - backing off", { type: name, err: String(error) });
        return { at: "pause", next: OPEN_WATCH };
      }
      if (isExpiredVersion(error)) log?.v(4).info("Watch closed", { type: name, err: String(error) });
      else log?.error(error, "Failed to watch", { type: name });
      return { at: "pause", next: BEGIN };
    }
  }

  async #follow(session: WatchSession<T>, isPastSynthetic: boolean, signal: AbortSignal): Promise<State<T>> {
    using _session = session;
    const position = { version: this.#lastVersion, isPastSynthetic };
    for (;;) {
      let batch: readonly WatchEvent<T>[] | undefined;
      try {
        batch = await session.next();
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        return this.#afterBrokenWatch(error);
      }
      if (!batch) break;
      const failure = applyBatch(batch, session, position, { ...this.#options, intake: this.#intake });
      this.#lastVersion = position.version;
      if (failure !== undefined) return this.#afterBrokenWatch(failure);
    }
    const { log, name } = this.#options;
    if (session.eventCount === 0 && session.ageMs < SHORT_WATCH_MS) {
      return this.#afterBrokenWatch(new VeryShortWatch(name));
    }
    log?.v(4).info("Watch close", { type: name, totalItems: session.eventCount });
    return OPEN_WATCH;
  }

  #afterBrokenWatch(failure: unknown): State<T> {
    const { log, name } = this.#options;
    if (isTooManyRequests(failure)) {
      log?.v(2).info("Watch returned 429 - backing off", { type: name });
      return { at: "pause", next: OPEN_WATCH };
    }
    // The version is not marked unavailable: a list from it means "at least as new", which may still work.
    if (isExpiredVersion(failure)) log?.v(4).info("Watch closed", { type: name, err: errorMessage(failure) });
    else log?.info("Warning: watch ended with error", { type: name, err: errorMessage(failure) });
    return { at: "pause", next: BEGIN };
  }

  /** A state older than one the server has shown is never taken over. */
  #assertNotBack(resourceVersion: string): void {
    if (this.#isRestored || !isOlderVersion(resourceVersion, this.#lastVersion)) return;
    throw new StateWentBack(resourceVersion, this.#lastVersion);
  }

  #install({ objects, resourceVersion }: WholeState<T>): void {
    this.#options.target.replace(objects, resourceVersion, this.#isRestored);
    this.#isLastVersionUnavailable = false;
    this.#isRestored = false;
    this.#lastVersion = resourceVersion;
    this.#options.log?.v(2).info("Caches populated", { type: this.#options.name });
    this.#armResync();
  }

  #noteUnavailable(error: unknown): boolean {
    const isTooLarge = isTooLargeVersion(error);
    if (!isTooLarge && !isExpiredVersion(error)) return false;
    if (isTooLarge) this.#isRestored = true;
    this.#isLastVersionUnavailable = true;
    return true;
  }

  /** "0" lets the server answer from its cache, however old: good enough for the first list. */
  #listVersion(): string {
    if (this.#isLastVersionUnavailable) return "";
    return this.#lastVersion === "" ? "0" : this.#lastVersion;
  }

  #fetchList(resourceVersion: string, signal: AbortSignal): Promise<PagedList<T>> {
    const { client, selection, clock } = this.#options;
    // A limit makes the server bypass its watch cache, except for "0". A specific version should be served from the
    // cache.
    const isPaged = this.#prefersPages || resourceVersion === "" || resourceVersion === "0";
    const request = { ...selection, resourceVersion, ...(isPaged && { limit: PAGE_SIZE }) };
    return listAllPages(request, async (page) => {
      using scope = deadlineScope(clock, LIST_MS_MAX, signal);
      const list = await client.list(page, scope.signal);
      return { ...list, items: this.#intake.transformedItems(list.items ?? []) };
    });
  }

  #openSession(request: WatchRequest, signal: AbortSignal): Promise<WatchSession<T>> {
    const { client, selection, clock, rng } = this.#options;
    const timeoutSeconds = WATCH_TIMEOUT_SECONDS_MIN + Math.floor(rng.float() * WATCH_TIMEOUT_SECONDS_MIN);
    const whole = { ...selection, ...request, timeoutSeconds, allowWatchBookmarks: true };
    return WatchSession.open({ clock, timeoutSeconds, open: (scope) => client.watch(whole, scope) }, signal);
  }

  #armResync(): void {
    const { clock, resyncCheckMs, onResyncCheck } = this.#options;
    this.#stopResync();
    if (resyncCheckMs === 0) return;
    this.#resyncTimer = clock.after(resyncCheckMs, () => {
      onResyncCheck();
      this.#armResync();
    });
  }

  #stopResync(): void {
    this.#resyncTimer?.[Symbol.dispose]();
    this.#resyncTimer = undefined;
  }
}
