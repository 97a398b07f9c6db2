// For tests only: an informer of things on a ThingServer and the virtual clock.

import { seededRng } from "#base/seeded-rng.ts";
import { testClock } from "#base/testing.ts";
import type { VirtualClock } from "#base/virtual-clock.ts";
import { createClient } from "#client/create-client.ts";
import type { EventHandler } from "#informers/informer.ts";
import {
  DEFAULT_GATES,
  type InformerGates,
  SharedIndexInformer,
  type SharedInformerOptions,
} from "#informers/shared-informer.ts";
import { type Thing, ThingServer, Things } from "#informers/testing.ts";

/** Without streamed lists. */
export const LIST_GATES: InformerGates = { ...DEFAULT_GATES, WatchListClient: false };

/** The queries of a streamed list and of a watch, as asked() gives them. */
export const WATCH_LIST =
  "allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=T&timeoutSeconds=N&watch=true";
export const watchListFrom = (version: number): string =>
  `allowWatchBookmarks=true&resourceVersion=${version}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&timeout=T&timeoutSeconds=N&watch=true`;
export const watchFrom = (version: number): string =>
  `allowWatchBookmarks=true&resourceVersion=${version}&timeout=T&timeoutSeconds=N&watch=true`;

export interface Stage {
  readonly clock: VirtualClock;
  readonly server: ThingServer;
  readonly informer: SharedIndexInformer<Thing>;
  readonly stop: AbortController;
  /** Runs the informer until `stop`. */
  start(): Promise<void>;
  /** The events of a handler that was added before the start, since the last call. */
  heard(): string[];
  /** The queries that the server received since the last call. */
  asked(): string[];
}

export function stageInformer(options: Partial<SharedInformerOptions<Thing>> = {}): Stage {
  const clock = testClock();
  const server = new ThingServer();
  const informer = new SharedIndexInformer<Thing>({
    name: "things",
    client: createClient({ transport: server, clock, userAgent: "test" }).resource(Things),
    clock,
    rng: seededRng("seed"),
    ...options,
  });
  const first = recorder();
  informer.addHandler(first);
  const stop = new AbortController();
  return {
    clock,
    server,
    informer,
    stop,
    start: () => informer.run(stop.signal),
    heard: () => first.log.splice(0),
    asked: () => server.requests.splice(0),
  };
}

/** A handler that records its events: "add a=1", "update a=1 a=2", "gone a=2". */
export function recorder(log: string[] = []): EventHandler<Thing> & { readonly log: string[] } {
  const show = (thing: Thing): string => `${thing.metadata?.name}=${thing.spec?.value}`;
  return {
    log,
    onAdd: (thing, isInitial) => log.push(`${isInitial ? "initial" : "add"} ${show(thing)}`),
    onUpdate: (old, thing) => log.push(`update ${show(old)} ${show(thing)}`),
    onDelete: (thing, isUnknown) => log.push(`${isUnknown ? "gone" : "delete"} ${show(thing)}`),
  };
}
