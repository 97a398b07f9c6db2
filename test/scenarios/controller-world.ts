// One controller on the embedded server under the virtual clock, behind a network that a test can make fail.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { Namespaces } from "#api/generated/resources/core-v1.ts";
import type { Resource, StoredObject } from "#api/resource.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { hostTurn } from "#base/testing.ts";
import { jsonResponse } from "#client/testing.ts";
import type { ComponentConfig } from "#manager/options/config.ts";
import { type RunningManager, type WorldOptions as ServerOptions, World } from "#sim/world.ts";
import { HeldWatches } from "#test/stage/held-watches.ts";
import type { Scene } from "#test/stage/stage.ts";
import { worldScene } from "#test/stage/world-scene.ts";

export const NAMESPACE = "test";
const START_MS = 1000;

/** Answers instead of the server, or lets the request pass. */
export type Interception = (
  request: HttpRequest,
  who: string,
  pass: () => Promise<HttpResponse>,
) => Promise<HttpResponse | undefined> | HttpResponse | undefined;

export interface WorldOptions {
  readonly config?: Partial<ComponentConfig>;
  readonly qps?: number;
  readonly intercept?: Interception;
  /** Gates of the manager that differ from their defaults. */
  readonly gates?: Readonly<Record<string, boolean>>;
  /** Controllers that run beside the one of the test. */
  readonly others?: readonly string[];
}

export const unavailable = (): HttpResponse =>
  jsonResponse({ kind: "Status", status: "Failure", reason: "ServiceUnavailable", code: 503 }, 503);

export const refusal = (code: number, reason: string): HttpResponse =>
  jsonResponse({ kind: "Status", status: "Failure", reason, code, message: "refused" }, code);

export class ControllerWorld {
  readonly world: World;
  readonly held: HeldWatches = new HeldWatches();
  readonly of: Scene["of"];
  readonly #controller: string;
  readonly #identity: string;
  readonly #metrics = new MetricRegistry({ version: "1.36.4" });
  #log = "";
  #manager: RunningManager | undefined;

  protected constructor(controller: string, identity: string, seed: string, server: Partial<ServerOptions> = {}) {
    this.#controller = controller;
    this.#identity = identity;
    this.world = new World({ turn: hostTurn, gates: featureGateTable(), seed, ...server });
    this.of = worldScene(this.world, NAMESPACE, () => this.#log).of;
  }

  /** With the namespace of the test. */
  protected async opened(): Promise<this> {
    await this.of(Namespaces).create({ metadata: { name: NAMESPACE } });
    return this;
  }

  /** With a manager that is at work. */
  async started(options?: WorldOptions): Promise<this> {
    this.startManager(options);
    await this.pass(START_MS);
    return this;
  }

  startManager({
    config = {},
    qps,
    intercept = () => undefined,
    gates = {},
    others = [],
  }: WorldOptions = {}): RunningManager {
    const { clock } = this.world;
    const write = (line: string): void => {
      this.#log += line;
    };
    const network = (transport: Transport): Transport => ({
      send: async (request, signal) => {
        const who = String(request.headers["user-agent"]).split("/").at(-1) ?? "";
        const pass = (): Promise<HttpResponse> => transport.send(request, signal);
        return (await intercept(request, who, pass)) ?? (await pass());
      },
    });
    this.#manager = this.world.startManager({
      controllers: [this.#controller, ...others],
      config,
      gates,
      metrics: this.#metrics,
      log: createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write }),
      network: (transport) => this.held.over(network(transport)),
      ...(qps === undefined ? {} : { qps }),
    });
    return this.#manager;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#manager?.stop();
    await this.world.advance(1000);
    await ended;
    this.world.server.close();
  }

  get log(): string {
    return this.#log;
  }

  pass(ms: number): Promise<void> {
    return this.world.advance(ms);
  }

  async exists(resource: Resource<StoredObject>, name: string, namespace?: string): Promise<boolean> {
    return (await this.of(resource, namespace).find(name)) !== undefined;
  }

  /** The requests of the controller itself so far. */
  requests(method: string): readonly string[] {
    return this.world.log.requests
      .filter((request) => request.who === this.#identity && request.method === method)
      .map(({ target }) => target);
  }

  /** The lists and watches of informers so far, by resource. */
  watched(): ReadonlySet<string> {
    const asked = this.world.log.requests.filter(({ who, target }) => /-informers$/.test(who) && /^.api/.test(target));
    return new Set(asked.map(({ target }) => target.replace(/\?.*/, "")));
  }

  retries(queue: string): number {
    return Number(this.series(`workqueue_retries_total{name="${queue}"}`)[0]?.split(" ").at(-1));
  }

  series(name: string): readonly string[] {
    const lines = this.#metrics.render().split("\n");
    return lines.filter((line) => line.startsWith(name));
  }
}
