// A garbage collector on the embedded server under the virtual clock, behind a network that a test can make fail.

import { featureGateTable } from "#api/feature-gate-table.ts";
import { CustomResourceDefinitions } from "#api/generated/resources/apiextensions-v1.ts";
import { ConfigMaps, Namespaces } from "#api/generated/resources/core-v1.ts";
import type { OwnerReference } from "#api/meta.ts";
import type { KubeObject } from "#api/object.ts";
import { type Resource, resourceHandle, type StoredObject } from "#api/resource.ts";
import { isNotFound } from "#api/status-error.ts";
import type { HttpRequest, HttpResponse, Transport } from "#base/http.ts";
import { LogVerbosity } from "#base/log-verbosity.ts";
import { createLogger } from "#base/logger.ts";
import { MetricRegistry } from "#base/metric-registry.ts";
import { hostTurn } from "#base/testing.ts";
import { type ComponentConfig, defaultConfig } from "#manager/options/config.ts";
import { World } from "#sim/world.ts";
import { HeldWatches } from "#test/stage/held-watches.ts";

export const NAMESPACE = "test";
export const Widgets: Resource<StoredObject> = widgets("v1");

/** Answers instead of the server, or lets the request pass. */
export type Interception = (
  request: HttpRequest,
  who: string,
  pass: () => Promise<HttpResponse>,
) => Promise<HttpResponse | undefined> | HttpResponse | undefined;

export interface CollectorOptions {
  readonly config?: Partial<ComponentConfig["GarbageCollectorController"]>;
  readonly qps?: number;
  readonly intercept?: Interception;
}

export class CollectorWorld {
  readonly world: World;
  readonly held: HeldWatches = new HeldWatches();
  readonly #metrics = new MetricRegistry({ version: "1.36.4" });
  #log = "";
  #stop: (() => Promise<void>) | undefined;

  private constructor(seed: string) {
    this.world = new World({ turn: hostTurn, gates: featureGateTable(), seed });
  }

  static async open(seed: string): Promise<CollectorWorld> {
    const opened = new CollectorWorld(seed);
    await opened.create(Namespaces, { metadata: { name: NAMESPACE } });
    return opened;
  }

  start({ config = {}, qps, intercept = () => undefined }: CollectorOptions = {}): void {
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
    const manager = this.world.startManager({
      controllers: ["garbage-collector-controller"],
      config: {
        GarbageCollectorController: { ...defaultConfig.GarbageCollectorController, ...config },
      },
      metrics: this.#metrics,
      log: createLogger({ clock, format: "text", verbosity: new LogVerbosity(), write }),
      network: (transport) => this.held.over(network(transport)),
      ...(qps === undefined ? {} : { qps }),
    });
    this.#stop = () => manager.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = this.#stop?.();
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

  create<T extends KubeObject>(resource: Resource<T>, object: KubeObject): Promise<T> {
    const at = resource.scope === "Namespaced" ? { namespace: NAMESPACE } : {};
    return this.world.do((client, signal) =>
      client.resource(resource).create({ ...at, object: object as never }, signal),
    );
  }

  async exists(resource: Resource<StoredObject>, name: string): Promise<boolean> {
    try {
      await this.world.do((client, signal) => client.resource(resource).get({ namespace: NAMESPACE, name }, signal));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  }

  /** A ConfigMap that no owner has, unless one is given. */
  garbage(name: string, owner: Owner = nothing): Promise<unknown> {
    return this.create(ConfigMaps, { metadata: { name, ownerReferences: [referenceTo(owner)] } });
  }

  async remove(resource: Resource<StoredObject>, name: string): Promise<void> {
    const at = resource.scope === "Namespaced" ? { namespace: NAMESPACE } : {};
    await this.world.do((client, signal) => client.resource(resource).delete({ ...at, name }, signal));
  }

  /** The requests of the garbage collector itself so far. */
  requests(method: string): readonly string[] {
    return this.world.log.requests
      .filter((request) => request.who === "generic-garbage-collector" && request.method === method)
      .map(({ target }) => target);
  }

  /** The lists and watches of informers so far, by resource. */
  watched(): ReadonlySet<string> {
    const asked = this.world.log.requests.filter(({ who, target }) => /-informers$/.test(who) && /^.api/.test(target));
    return new Set(asked.map(({ target }) => target.replace(/\?.*/, "")));
  }

  series(name: string): readonly string[] {
    const lines = this.#metrics.render().split("\n");
    return lines.filter((line) => line.startsWith(name));
  }

  syncErrors(): number {
    return Number(this.series("garbagecollector_controller_resources_sync_error_total")[0]?.split(" ").at(-1));
  }

  async define(...versions: readonly string[]): Promise<void> {
    await this.create(CustomResourceDefinitions, {
      metadata: { name: "widgets.example.com" },
      ...definition(versions),
    });
    await this.pass(100);
  }

  async redefine(...versions: readonly string[]): Promise<void> {
    await this.world.do((client, signal) =>
      client
        .resource(CustomResourceDefinitions)
        .patch({ name: "widgets.example.com", type: "merge", patch: definition(versions) }, signal),
    );
    await this.pass(100);
  }
}

type Owner = Pick<StoredObject, "metadata"> & { readonly kind?: string };

/** Not an object of the server. */
export const nothing: Owner = {
  kind: "ConfigMap",
  metadata: { name: "nothing", uid: "no-such-uid" } as StoredObject["metadata"],
};

export function referenceTo({ kind = "ConfigMap", metadata }: Owner): OwnerReference {
  const apiVersion = { Widget: "example.com/v1", ReplicaSet: "apps/v1" }[kind] ?? "v1";
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid };
}

export function widgets(version: string): Resource<StoredObject> {
  return resourceHandle({ group: "example.com", version, resource: "widgets", kind: "Widget", scope: "Namespaced" });
}

/** Only the last version is served and stored. */
function definition(versions: readonly string[]): object {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const isLast = (name: string): boolean => name === versions.at(-1);
  return {
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions: versions.map((name) => ({ name, served: isLast(name), storage: isLast(name), schema })),
    },
  };
}
