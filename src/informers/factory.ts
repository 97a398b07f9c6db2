// Provides shared informers: one per resource, form and selection for all callers. Informers start and stop at run
// time, one by one or all together.

import { type GroupVersionResource, resourceText } from "#api/object.ts";
import type { PartialObjectMetadata, Resource, StoredObject } from "#api/resource.ts";
import { childScope, type Scope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client, Selection } from "#client/client.ts";
import type { InformerFactory, SharedInformer, Transform } from "#informers/informer.ts";
import { informerMeter } from "#informers/metrics.ts";
import { informerResourceLabel } from "#informers/resource-label.ts";
import {
  type InformerClient,
  type InformerGates,
  SharedIndexInformer,
  type SharedInformerOptions,
} from "#informers/shared-informer.ts";
import { deepFreeze, stripManagedFields } from "#informers/transforms.ts";

export interface InformerFactoryOptions {
  readonly client: Client;
  /** Metadata informers may use a separate client, with separate limits and identity. */
  readonly metadataClient?: Client;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log?: Logger;
  readonly gates?: InformerGates;
  /** Default resync period of all informers here; 0 or absent: none. */
  readonly resyncPeriodMs?: number;
  /** The resync period of metadata informers, if it differs. */
  readonly metadataResyncPeriodMs?: number;
  /** Replaces the default, which leaves managedFields out. */
  readonly transform?: Transform<StoredObject>;
  /** For tests: objects in caches cannot be changed. */
  readonly isFreezing?: boolean;
  /** Full informers use this name in metrics. */
  readonly metrics?: { readonly metrics: Metrics; readonly name: string };
  /** Called when an informer failed for good, because a handler or an index function threw. Absent: unhandled. */
  readonly onCrash?: (error: unknown) => void;
}

type Form = "full" | "metadata";

interface Entry {
  readonly form: Form;
  readonly informer: SharedIndexInformer<never>;
  scope?: Scope;
  ended?: Promise<void>;
}

export function createInformerFactory(options: InformerFactoryOptions): InformerFactory {
  return new Factory(options);
}

class Factory implements InformerFactory {
  readonly #options: InformerFactoryOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #stop = new AbortController();

  constructor(options: InformerFactoryOptions) {
    this.#options = options;
  }

  informer<T extends StoredObject>(resource: Resource<T>, selection: Selection = {}): SharedInformer<T> {
    const { client } = this.#options;
    return this.#get("full", resource, selection, () => client.resource(resource));
  }

  metadataInformer<T extends StoredObject>(
    resource: Resource<T>,
    selection: Selection = {},
  ): SharedInformer<PartialObjectMetadata<T>> {
    const { client, metadataClient = client } = this.#options;
    return this.#get("metadata", resource, selection, () => metadataClient.metadata(resource));
  }

  informerOfAnyForm<T extends StoredObject>(resource: Resource<T>): SharedInformer<PartialObjectMetadata<T>> {
    const hasFull = this.#entries.has(entryKey("full", resource, {}));
    return hasFull ? this.informer<PartialObjectMetadata<T>>(resource) : this.metadataInformer(resource);
  }

  start(): void {
    if (this.#stop.signal.aborted) return;
    const waiting = [...this.#entries.values()].filter(({ ended }) => ended === undefined);
    const isFull = ({ form }: Entry): boolean => form === "full";
    for (const entry of [...waiting.filter(isFull), ...waiting.filter((one) => !isFull(one))]) {
      entry.scope = childScope(this.#stop.signal);
      entry.ended = this.#run(entry.informer, entry.scope);
    }
  }

  async waitForCacheSync(signal: AbortSignal): Promise<void> {
    const started = [...this.#entries.values()].filter((entry) => entry.ended !== undefined);
    await Promise.all(started.map((entry) => entry.informer.synced(signal)));
  }

  async stop(informer: { readonly resource: GroupVersionResource }): Promise<void> {
    for (const [key, entry] of this.#entries) {
      if (entry.informer !== informer) continue;
      this.#entries.delete(key);
      entry.scope?.[Symbol.dispose]();
      await entry.ended;
      return;
    }
  }

  async stopUnused(informer: { readonly resource: GroupVersionResource }): Promise<void> {
    const entry = [...this.#entries.values()].find((one) => one.informer === informer);
    if (entry?.form === "metadata" && !entry.informer.hasHandlers) await this.stop(informer);
  }

  async shutdown(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#entries.values()].flatMap(({ ended }) => ended ?? []));
    this.#entries.clear();
  }

  async #run(informer: SharedIndexInformer<never>, scope: Scope): Promise<void> {
    try {
      await informer.run(scope.signal);
    } catch (error) {
      if (!this.#options.onCrash) throw error;
      this.#options.onCrash(error);
    } finally {
      scope[Symbol.dispose]();
    }
  }

  /** The key includes form, resource and selection, so the informer found under it has the type T. */
  #get<T extends StoredObject>(
    form: Form,
    resource: Resource<T>,
    selection: Selection,
    clientOf: () => InformerClient<T>,
  ): SharedInformer<T> {
    const key = entryKey(form, resource, selection);
    const known = this.#entries.get(key);
    if (known) return known.informer as SharedInformer as SharedInformer<T>;
    const informer = new SharedIndexInformer<T>({
      ...this.#informerOptions(form, resource, key),
      client: this.#options.transform === undefined ? leanClient(clientOf()) : clientOf(),
      selection,
    });
    this.#entries.set(key, { form, informer: informer as never });
    return informer;
  }

  #informerOptions<T extends StoredObject>(
    form: Form,
    resource: Resource<T>,
    key: string,
  ): Omit<SharedInformerOptions<T>, "client" | "selection"> {
    const { clock, rng, log, gates, metrics } = this.#options;
    const { resyncPeriodMs: fullResyncMs, metadataResyncPeriodMs = fullResyncMs } = this.#options;
    const resyncPeriodMs = form === "full" ? fullResyncMs : metadataResyncPeriodMs;
    return {
      name: resourceText(resource),
      clock,
      rng: rng.fork(key),
      transform: this.#transform(),
      ...(log && { log }),
      ...(gates && { gates }),
      ...(resyncPeriodMs !== undefined && { resyncPeriodMs }),
      ...(metrics &&
        form === "full" && {
          meter: informerMeter(metrics.metrics, {
            ...resource,
            resource: informerResourceLabel(resource),
            name: metrics.name,
          }),
        }),
    };
  }

  #transform<T extends StoredObject>(): Transform<T> {
    const transform = (this.#options.transform as Transform<T> | undefined) ?? stripManagedFields;
    return this.#options.isFreezing ? (object) => deepFreeze(transform(object)) : transform;
  }
}

/** A client whose watches leave out the fields that the default transform would remove. */
function leanClient<T extends StoredObject>(client: InformerClient<T>): InformerClient<T> {
  return {
    resource: client.resource,
    list: (request, signal) => client.list(request, signal),
    watch: (request, signal) => client.watch({ ...request, leavesOutManagedFields: true }, signal),
  };
}

function entryKey(form: Form, gvr: GroupVersionResource, selection: Selection): string {
  const { namespace = "", labelSelector = "", fieldSelector = "" } = selection;
  return [form, gvr.group, gvr.version, gvr.resource, namespace, labelSelector, fieldSelector].join("\n");
}
