// GET with watch: a stream of events from a revision on, beginning with the current state if requested.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/watch.go; storage/cacher/cacher.go, Watch

import { asApiError, bareFailure, newExpired, newNotAcceptable } from "#api/status-error.ts";
import type { Clock, Timer } from "#base/clock.ts";
import type { HttpHeaders, HttpResponse } from "#base/http.ts";
import { headersFor } from "../body-encoding.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { type ListOptions, parseListOptions } from "../list-options.ts";
import { collectionRules } from "../negotiation-rules.ts";
import { MEDIA_TYPES, negotiate, type Representation, STREAM_TYPES } from "../representation.ts";
import type { RequestContext } from "../request-context.ts";
import { parseRevision, waitForRevision } from "../resource-version.ts";
import { type Selection, selectionOf } from "../selection.ts";
import { encodeFrame, WatchEvents, type WireEvent } from "../watch/watch-events.ts";
import { watchBody } from "../watch/watch-stream.ts";
import { eventTypeFor, Watcher, type WatcherEvent } from "../watch/watcher.ts";

export async function watch(core: ServerCore, call: ResourceCall, signal: AbortSignal): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, collectionRules(call));
  const options = parseListOptions(context.query, call.info.isWatchPath);
  const selection = selectionOf(endpoint, call.namespace, options, call.name);
  const parsed = parseRevision(options.resourceVersion);
  if ("error" in parsed) throw bareFailure(500, "", parsed.error);
  if (representation.encoding === "yaml") throw newNotAcceptable(STREAM_TYPES);
  let start: WatchStart;
  try {
    const waits = options.sendInitialEvents === true && parsed.revision > core.storage.revision;
    if (waits) await waitForRevision(core, parsed.revision, signal);
    // Nothing is awaited from here to hub.add: a write in between would be lost.
    start = startOf(core, call, options, parsed.revision, selection);
  } catch (error) {
    // Once the parameters are parsed, refusals are sent as an event.
    const failure = asApiError(error);
    if (failure === undefined) throw error;
    return singleEvent(context, representation, { type: "ERROR", object: failure.status });
  }
  const hub = core.hubOf(endpoint.row);
  const watcher = new Watcher(
    selection,
    options.allowWatchBookmarks,
    start.afterRevision,
    core.limits.watcherEventsMax,
  );
  watcher.start(start.initial);
  hub.add(watcher);
  // A watch is answered when it ends, and counted then.
  const { series } = context;
  context.series = undefined;
  series?.opened();
  let isOpen = true;
  const timers = startTimers(core, watcher, timeoutMs(core, options), () => end());
  const end = (): void => {
    if (isOpen) series?.ended(200, context.startedMs);
    isOpen = false;
    watcher.close();
    hub.remove(watcher);
    timers[Symbol.dispose]();
    signal.removeEventListener("abort", end);
    core.closing.removeEventListener("abort", end);
  };
  signal.addEventListener("abort", end, { once: true });
  core.closing.addEventListener("abort", end, { once: true });
  if (signal.aborted || core.closing.aborted) end();
  const events = new WatchEvents(endpoint, representation, core.clock);
  const body = watchBody(watcher, events, context.request.direct === true, end);
  return { status: 200, headers: streamHeaders(context, representation), body };
}

function streamHeaders(context: RequestContext, { encoding }: Representation): HttpHeaders {
  const isJson = encoding === "json" || context.request.direct === true;
  return headersFor(context, isJson ? MEDIA_TYPES.json : `${MEDIA_TYPES[encoding]};stream=watch`);
}

const EXPIRED = "The resourceVersion for the provided watch is too old.";

interface WatchStart {
  readonly initial: WatcherEvent[];
  readonly afterRevision: number;
}

function startOf(
  core: ServerCore,
  call: ResourceCall,
  options: ListOptions,
  requested: number,
  selection: Selection,
): WatchStart {
  const table = core.tableOf(call.endpoint.row);
  if (options.sendInitialEvents === true) {
    const initial: WatcherEvent[] = [];
    for (const version of table.scan({ prefix: selection.prefix })) {
      if (selection.matches(version)) initial.push({ type: "ADDED", version });
    }
    const afterRevision = core.storage.revision;
    if (options.allowWatchBookmarks)
      initial.push({ type: "BOOKMARK", revision: afterRevision, endsInitialEvents: true });
    return { initial, afterRevision };
  }
  const from = requested === 0 ? core.storage.revision : requested;
  if (from >= core.storage.revision) return { initial: [], afterRevision: from };
  if (from < table.compactedRevision)
    throw newExpired(
      call.endpoint.row.isUncached ? EXPIRED : `too old resource version: ${from} (${table.compactedRevision})`,
    );
  const initial: WatcherEvent[] = [];
  for (const version of table.since(from)) {
    if (!version.key.startsWith(selection.prefix)) continue;
    const type = eventTypeFor(selection, version);
    if (type !== undefined) initial.push({ type, version });
  }
  return { initial, afterRevision: core.storage.revision };
}

function timeoutMs(core: ServerCore, { timeoutSeconds = 0 }: ListOptions): number {
  if (timeoutSeconds !== 0) return timeoutSeconds * 1000;
  return core.limits.watchTimeoutMsMin * (1 + core.rng.timeouts.float());
}

const BOOKMARK_INTERVAL_MS = 60_000;
/** When to send the last bookmark, so that the client resumes from a recent version. */
const BOOKMARK_BEFORE_END_MS = 2_000;

/** Ends the watch at its timeout, and sends bookmarks about every minute and shortly before the end. */
function startTimers(core: ServerCore, watcher: Watcher, lastsMs: number, end: () => void): Disposable {
  const { clock } = core;
  const deadlineMs = clock.monotonicMs() + lastsMs;
  const timeout = clock.after(lastsMs, end);
  let bookmark: Timer | undefined;
  const schedule = (): void => {
    const delayMs = nextBookmarkMs(clock, deadlineMs);
    if (delayMs === undefined) return;
    bookmark = clock.after(delayMs, () => {
      const { revision } = core.storage;
      const isLast = delayMs < BOOKMARK_INTERVAL_MS;
      // The last bookmark is skipped if nothing has happened since the start. Deviation: the others are always sent, as
      // upstream does with an etcd that reports its progress, because clients take silence for a dead watch.
      if (!isLast || revision > watcher.afterRevision)
        watcher.push({ type: "BOOKMARK", revision, endsInitialEvents: false });
      schedule();
    });
  };
  if (watcher.wantsBookmarks) schedule();
  return {
    [Symbol.dispose]: () => {
      timeout[Symbol.dispose]();
      bookmark?.[Symbol.dispose]();
    },
  };
}

/** Undefined: too late for another bookmark. Upstream: cacher/cache_watcher.go, nextBookmarkTime */
function nextBookmarkMs(clock: Clock, deadlineMs: number): number | undefined {
  const untilLastMs = deadlineMs - BOOKMARK_BEFORE_END_MS - clock.monotonicMs();
  return untilLastMs <= 0 ? undefined : Math.min(BOOKMARK_INTERVAL_MS, untilLastMs);
}

function singleEvent(context: RequestContext, representation: Representation, event: WireEvent): HttpResponse {
  const headers = streamHeaders(context, representation);
  if (context.request.direct) {
    return { status: 200, headers, body: { kind: "events", batches: once([event]) } };
  }
  return { status: 200, headers, body: { kind: "stream", chunks: once(encodeFrame(representation.encoding, event)) } };
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
