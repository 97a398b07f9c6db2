// The embedded server under the virtual clock for tests other than scenarios: tests of requests, flags, metrics and
// logs. The steps are those of scenarios; the test controls the network between manager and server.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { Events, Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Event } from "#api/generated/types/core-v1.ts";
import type { GroupVersionResource } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import type { Journal } from "#apiserver/storage/journal.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { hostTurn } from "#base/testing.ts";
import type { Client } from "#client/client.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { MemoryDisk } from "#sim/memory-journal.ts";
import { type ManagerOptions, World } from "#sim/world.ts";
import { FaultyNetwork } from "./faulty-network.ts";
import { HeldWatches } from "./held-watches.ts";
import type { Scene } from "./stage.ts";
import type { Run } from "./steps.ts";
import { worldScene } from "./world-scene.ts";

const NAMESPACE = "scenario";
const START_MS = 100;

export interface WireOptions extends Omit<ManagerOptions, "log" | "metrics" | "network"> {
  readonly seed?: string;
  /** Where the server's store is kept; in memory unless given. */
  readonly openJournal?: () => Journal;
  /** From the start, the manager sees no event of these resources. */
  readonly held?: readonly GroupVersionResource[];
  /** Prepares the network before the manager starts. */
  readonly prepare?: (network: FaultyNetwork) => void;
}

export interface WireStage extends Scene {
  readonly world: World;
  readonly client: Client;
  readonly network: FaultyNetwork;
  readonly metrics: MetricRegistry;
  readonly do: Run;
  /** From now on the manager sees no event of the resource. */
  hold(resource: GroupVersionResource): void;
  release(resource: GroupVersionResource): void;
  /** Waits for an Event in the namespace. */
  event(reason: string, holds?: (event: Event) => boolean): Promise<Stored<Event>>;
  /** The manager's requests for objects of the namespace, without Events: "PUT replicasets/web/status". */
  asked(): readonly string[];
  /** The manager's watches, in order: "shared-informers /api/v1/pods". */
  watches(): readonly string[];
  /** The manager's log, in klog's text format. */
  log(): string;
  /** Releases everything that is held and stops the manager and the server. */
  stop(): Promise<void>;
}

/** Starts one manager and opens a namespace with its default service account. */
export async function openWire({ seed = "scenario", held = [], prepare, ...options }: WireOptions): Promise<WireStage> {
  const disk = new MemoryDisk();
  const { openJournal = () => disk.open(), ...managerOptions } = options;
  const world = new World({ turn: hostTurn, gates: featureGateTable(), seed, openJournal });
  const { clock } = world;
  let log = "";
  const write = (line: string): void => {
    log += line;
  };
  const stage = worldScene(world, NAMESPACE, () => log);
  await stage.of(Namespaces).create({ metadata: { name: NAMESPACE } });
  await stage.of(ServiceAccounts).create({ metadata: { name: "default" } });
  const network = new FaultyNetwork();
  prepare?.(network);
  const watches = new HeldWatches();
  for (const resource of held) watches.hold(resource);
  const metrics = new MetricRegistry({ version: "1.36.4" });
  const logger = createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write });
  const manager = world.startManager({
    ...managerOptions,
    metrics,
    log: withoutRepeats(logger, clock),
    network: (transport) => watches.over(network.over(transport)),
  });
  await world.advance(START_MS);
  const OWN = `/namespaces/${NAMESPACE}/`;
  return {
    ...stage,
    world,
    client: world.client,
    network,
    metrics,
    do: (call) => world.do(call),
    hold: (resource) => watches.hold(resource),
    release: (resource) => watches.release(resource),
    event: (reason, holds = () => true) =>
      stage.until(`an Event ${reason}: ${holds}`, async () =>
        (await stage.of(Events).list()).find((event) => event.reason === reason && holds(event)),
      ),
    asked: () =>
      network.requests
        .filter(({ path }) => path.includes(OWN) && !/\/events(\/|$)/.test(path))
        .map(({ method, path }) => `${method} ${path.split(OWN)[1]}`),
    watches: () =>
      world.log.requests
        .filter(({ target }) => /[?&]watch=/.test(target))
        .map(({ target, who }) => `${who} ${target.split("?")[0]}`)
        .sort(),
    log: () => log,
    stop: async () => {
      network.pass();
      watches.releaseAll();
      const ended = manager.stop();
      await world.advance(1000);
      await ended;
      world.server.close();
    },
  };
}
