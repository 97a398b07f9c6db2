// The APIServices of groups that this server serves itself. They are created at startup for built-in groups, and follow
// the definitions for custom ones. All of them are always available.
// Upstream: kube-aggregator pkg/controllers/{autoregister,status/local}; pkg/controlplane/controller/crdregistration

import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { CustomResourceDefinition } from "#cel/json-schema.ts";
import { LOCAL, withAvailability } from "#kinds/apiregistration/availability-condition.ts";
import { put, putMeta } from "#kinds/parts/preparing.ts";
import type { ServerCore } from "../core.ts";
import { KeyedSync } from "../keyed-sync.ts";
import type { Table } from "../storage/storage.ts";
import { createOwn, deleteOwn, rowNamed } from "../write/own-objects.ts";
import { builtinPriority, CUSTOM_PRIORITY, type Priority } from "./priorities.ts";

export const API_SERVICES = "apiservices.apiregistration.k8s.io";
const DEFINITIONS = "customresourcedefinitions.apiextensions.k8s.io";
/** Whether the server manages an APIService at startup only or always. */
const MANAGED = "kube-aggregator.kubernetes.io/automanaged";

type Service = APIService & KubeObject;

export function keepLocalServices(core: ServerCore): void {
  if (core.registry.row(API_SERVICES) === undefined) return;
  new LocalServices(core).start();
}

class LocalServices {
  readonly #core: ServerCore;
  readonly #services: Table;
  readonly #definitions: Table | undefined;
  readonly #queue: KeyedSync;

  constructor(core: ServerCore) {
    this.#core = core;
    this.#services = core.tableOf(rowNamed(core, API_SERVICES));
    const definitions = core.registry.row(DEFINITIONS);
    this.#definitions = definitions && core.tableOf(definitions);
    this.#queue = new KeyedSync(core, {
      failure: "Local APIService failed",
      sync: async (name) => {
        this.#sync(name);
        this.#queue.forget(name);
      },
    });
  }

  start(): void {
    this.#registerBuiltins();
    const names = new Set([...this.#services.scan({ prefix: "" })].map(({ key }) => key));
    for (const { object } of this.#definitions?.scan({ prefix: "" }) ?? [])
      for (const name of namesOf(object as CustomResourceDefinition)) names.add(name);
    for (const name of names) this.#sync(name);
    const subscriptions = [
      this.#services.subscribe(({ key }) => this.#queue.add(key)),
      this.#definitions?.subscribe(({ object, previous }) => {
        for (const each of [object, previous?.object])
          for (const name of namesOf(each as CustomResourceDefinition | undefined)) this.#queue.add(name);
      }),
    ];
    const end = (): void => {
      for (const subscription of subscriptions) subscription?.[Symbol.dispose]();
    };
    this.#core.closing.addEventListener("abort", end, { once: true });
  }

  #registerBuiltins(): void {
    const { registry } = this.#core;
    const wanted = new Map<string, Service>();
    for (const group of registry.groups()) {
      for (const version of registry.versionsOf(group)) {
        const priority = builtinPriority(group, version);
        if (priority !== undefined) wanted.set(`${version}.${group}`, serviceOf(group, version, priority, "onstart"));
      }
    }
    for (const { key, object } of [...this.#services.scan({ prefix: "" })])
      if (managedBy(object) === "onstart" && !wanted.has(key)) deleteOwn(this.#core, API_SERVICES, key);
    for (const [name, service] of wanted) this.#keep(name, service);
  }

  #sync(name: string): void {
    const stored = this.#services.get(name);
    const wanted = this.#customService(name);
    if (wanted !== undefined) this.#keep(name, wanted);
    else if (stored !== undefined && managedBy(stored.object) === "true") deleteOwn(this.#core, API_SERVICES, name);
    else if (stored !== undefined && (stored.object as Service).spec?.service === undefined) this.#makeAvailable(name);
  }

  /** An APIService that a user created is not changed. */
  #keep(name: string, wanted: Service): void {
    const stored = this.#services.get(name);
    const now = this.#core.clock.now();
    if (stored === undefined) {
      createOwn(
        this.#core,
        API_SERVICES,
        wanted,
        (service) => withAvailability(service as Service, LOCAL, now) as KubeObject,
      );
      return;
    }
    const current = stored.object as Service;
    if (managedBy(current) !== "" && !deepEqual(current.spec, wanted.spec)) {
      const objects = this.#core.kindServer.objects(API_SERVICES);
      objects.updateAsServer(stored, put(current, "spec", wanted.spec) as KubeObject, "", now);
    }
    this.#makeAvailable(name);
  }

  #makeAvailable(name: string): void {
    const stored = this.#services.get(name);
    const current = stored?.object as Service | undefined;
    if (stored === undefined || current?.spec?.service !== undefined) return;
    const now = this.#core.clock.now();
    const next = withAvailability(current as Service, LOCAL, now) as KubeObject;
    if (next !== current) this.#core.kindServer.objects(API_SERVICES).updateAsServer(stored, next, "status", now);
  }

  /** The APIService for the definitions of the group; undefined if none serves the version. */
  #customService(name: string): Service | undefined {
    const dot = name.indexOf(".");
    const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
    for (const { object } of this.#definitions?.scan({ prefix: "" }) ?? []) {
      const { spec } = object as CustomResourceDefinition;
      const isServed = spec.versions.some((each) => each.name === version && each.served);
      if (spec.group === group && isServed) return serviceOf(group, version, CUSTOM_PRIORITY, "true");
    }
    return undefined;
  }
}

const managedBy = ({ metadata }: KubeObject): string => metadata?.labels?.[MANAGED] ?? "";

const namesOf = (crd: CustomResourceDefinition | undefined): string[] =>
  crd?.spec.versions.map(({ name }) => `${name}.${crd.spec.group}`) ?? [];

function serviceOf(group: string, version: string, priority: Priority, managed: "onstart" | "true"): Service {
  return putMeta(
    {
      metadata: { name: `${version}.${group}` },
      spec: {
        ...(group !== "" && { group }),
        version,
        groupPriorityMinimum: priority.group,
        versionPriority: priority.version,
      },
    } as Service,
    { labels: { [MANAGED]: managed } },
  );
}
