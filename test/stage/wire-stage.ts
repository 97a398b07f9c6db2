// The embedded server under the virtual clock for tests other than scenarios: tests of requests, flags, metrics and
// logs. The steps are those of scenarios; the test controls the network between manager and server. Tests of one
// controller add their steps in a subclass.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { Events, Namespaces, ServiceAccounts } from "#api/generated/resources/core-v1.ts";
import type { Event } from "#api/generated/types/core-v1.ts";
import type { GroupVersionResource } from "#api/object.ts";
import type { Resource, Stored, StoredObject } from "#api/resource.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { hostTurn } from "#base/testing.ts";
import type { Client } from "#client/client.ts";
import { knownControllers } from "#kit/known-controllers.ts";
import { withoutRepeats } from "#manager/log-repeats.ts";
import { MemoryDisk } from "#sim/memory-journal.ts";
import { type ManagerOptions, type RunningManager, World, type WorldOptions } from "#sim/world.ts";
import { FaultyNetwork, type Interception, intercepted } from "./faulty-network.ts";
import { HeldWatches } from "./held-watches.ts";
import type { Scene } from "./stage.ts";
import type { Run } from "./steps.ts";
import { worldScene } from "./world-scene.ts";

/** The namespace of a test. It has its default service account. */
export const NAMESPACE = "scenario";
const OWN = `/namespaces/${NAMESPACE}/`;
const OPENING_MS = 100;
const STARTING_MS = 1000;

/** Options of the server, and the controllers that the managers run. The test is about the first controller. */
interface WireWorldOptions extends Partial<WorldOptions> {
  readonly controllers: readonly string[];
}

export interface WireManagerOptions extends Omit<ManagerOptions, "controllers" | "log" | "metrics" | "network"> {
  /** Is asked about the requests of this manager alone. */
  readonly intercept?: Interception;
}

export interface WireOptions extends Omit<WireManagerOptions, "intercept">, Pick<WorldOptions, "seed" | "openJournal"> {
  readonly controllers: readonly string[];
  /** From the start, the manager sees no event of these resources. */
  readonly held?: readonly GroupVersionResource[];
  /** Prepares the network before the manager starts. */
  readonly prepare?: (network: FaultyNetwork) => void;
}

/** Starts one manager and opens a namespace with its default service account. */
export async function openWire(options: WireOptions): Promise<WireStage> {
  const { controllers, seed = "scenario", openJournal, held = [], prepare, ...manager } = options;
  const stage = await new WireStage({ controllers, seed, ...(openJournal && { openJournal }) }).opened();
  prepare?.(stage.network);
  for (const resource of held) stage.hold(resource);
  stage.startManager(manager);
  await stage.pass(OPENING_MS);
  return stage;
}

export class WireStage implements Scene {
  readonly namespace: string = NAMESPACE;
  readonly world: World;
  readonly client: Client;
  readonly network: FaultyNetwork = new FaultyNetwork();
  readonly metrics: MetricRegistry = new MetricRegistry({ version: "1.36.4" });
  readonly do: Run;
  readonly of: Scene["of"];
  readonly until: Scene["until"];
  readonly now: Scene["now"];
  readonly pass: Scene["pass"];
  readonly #controllers: readonly string[];
  readonly #watches = new HeldWatches();
  #log = "";
  #manager: RunningManager | undefined;

  constructor({ controllers, ...server }: WireWorldOptions) {
    const disk = new MemoryDisk();
    const openJournal = () => disk.open();
    this.world = new World({ turn: hostTurn, gates: featureGateTable(), openJournal, ...server });
    this.client = this.world.client;
    this.do = (call) => this.world.do(call);
    const { of, until, now, pass } = worldScene(this.world, NAMESPACE, () => this.#log);
    this.of = of;
    this.until = until;
    this.now = now;
    this.pass = pass;
    this.#controllers = controllers;
  }

  /** Creates the namespace of the test. */
  async opened(): Promise<this> {
    await this.of(Namespaces).create({ metadata: { name: NAMESPACE } });
    await this.of(ServiceAccounts).create({ metadata: { name: "default" } });
    return this;
  }

  /** Starts a manager and waits until its controllers have started. */
  async started(options?: WireManagerOptions): Promise<this> {
    this.startManager(options);
    await this.pass(STARTING_MS);
    return this;
  }

  startManager({ intercept, ...options }: WireManagerOptions = {}): RunningManager {
    const { clock } = this.world;
    const write = (line: string): void => {
      this.#log += line;
    };
    const logger = createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write });
    this.#manager = this.world.startManager({
      ...options,
      controllers: this.#controllers,
      metrics: this.metrics,
      log: withoutRepeats(logger, clock),
      network: (transport) => {
        const server = intercept === undefined ? transport : intercepted(transport, intercept);
        return this.#watches.over(this.network.over(server));
      },
    });
    return this.#manager;
  }

  /** Stops the running manager. The test can then start another. */
  async stopManager(): Promise<void> {
    const ended = this.#manager?.stop();
    this.#manager = undefined;
    await this.world.advance(1000);
    await ended;
  }

  /** From now on the manager sees no event of the resource. */
  hold(resource: GroupVersionResource): void {
    this.#watches.hold(resource);
  }

  release(resource: GroupVersionResource): void {
    this.#watches.release(resource);
  }

  async exists(resource: Resource<StoredObject>, name: string, namespace?: string): Promise<boolean> {
    return (await this.of(resource, namespace).find(name)) !== undefined;
  }

  /** Waits for an Event in the namespace. */
  event(reason: string, holds: (event: Event) => boolean = () => true): Promise<Stored<Event>> {
    return this.until(`an Event ${reason}: ${holds}`, async () =>
      (await this.of(Events).list()).find((event) => event.reason === reason && holds(event)),
    );
  }

  /** The manager's requests for objects of the namespace, without Events: "PUT replicasets/web/status". */
  asked(): readonly string[] {
    return this.network.requests
      .filter(({ path }) => path.includes(OWN) && !/\/events(\/|$)/.test(path))
      .map(({ method, path }) => `${method} ${path.split(OWN)[1]}`);
  }

  /** The targets of the requests that the first controller has made under its identity. */
  requests(method: string): readonly string[] {
    const [first = ""] = this.#controllers;
    const { identity = first } = knownControllers.find(({ name }) => name === first) ?? {};
    return this.world.log.requests
      .filter((request) => request.who === identity && request.method === method)
      .map(({ target }) => target);
  }

  /** The manager's watches, in order: "shared-informers /api/v1/pods". */
  watches(): readonly string[] {
    return this.world.log.requests
      .filter(({ target }) => /[?&]watch=/.test(target))
      .map(({ target, who }) => `${who} ${target.split("?")[0]}`)
      .sort();
  }

  /** The paths that informers have listed and watched so far: "/api/v1/pods". */
  watched(): ReadonlySet<string> {
    const asked = this.world.log.requests.filter(({ who, target }) => /-informers$/.test(who) && /^.api/.test(target));
    return new Set(asked.map(({ target }) => target.replace(/\?.*/, "")));
  }

  /** The lines of the metrics page that start with the name. */
  series(name: string): readonly string[] {
    const lines = this.metrics.render().split("\n");
    return lines.filter((line) => line.startsWith(name));
  }

  retries(queue: string): number {
    return Number(this.series(`workqueue_retries_total{name="${queue}"}`)[0]?.split(" ").at(-1));
  }

  /** The managers' log, in klog's text format. */
  log(): string {
    return this.#log;
  }

  /** Releases everything that is held and stops the manager and the server. */
  async stop(): Promise<void> {
    this.network.pass();
    this.#watches.releaseAll();
    await this.stopManager();
    this.world.server.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
