// Hands out shared informers: one per resource, form and selection, however many ask. Informers start
// and stop at run time, one by one or all together.

import type { GroupVersionResource, KubeObject } from "#api/object.ts";
import type { PartialObjectMetadata, StoredObject } from "#api/resource.ts";
import { childScope, type Scope } from "#base/abort.ts";
import type { Clock } from "#base/clock.ts";
import type { Logger } from "#base/log.ts";
import type { Metrics } from "#base/metrics.ts";
import type { Rng } from "#base/rng.ts";
import type { Client, Selection } from "#client/client.ts";
import type { InformerFactory, SharedInformer, Transform } from "#informers/informer.ts";
import { informerMeter } from "#informers/metrics.ts";
import { informerResourceLabel } from "#informers/resource-label.ts";
import { type InformerGates, SharedIndexInformer, type SharedInformerOptions } from "#informers/shared-informer.ts";
import { deepFreeze, stripManagedFields } from "#informers/transforms.ts";

export interface InformerFactoryOptions {
  readonly client: Client;
  /** Metadata informers may have a client of their own, with its own limits and identity. */
  readonly metadataClient?: Client;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly log?: Logger;
  readonly gates?: InformerGates;
  /** Default resync period of all informers here; 0 or absent: none. */
  readonly resyncPeriodMs?: number;
  /** That of metadata informers, where it is another. */
  readonly metadataResyncPeriodMs?: number;
  /** Replaces the default, which leaves managedFields out. */
  readonly transform?: Transform<KubeObject>;
  /** For tests: objects in caches cannot be changed. */
  readonly isFreezing?: boolean;
  /** Full informers report under this name. */
  readonly metrics?: { readonly metrics: Metrics; readonly name: string };
  /** Called when an informer failed for good, which a handler or an index function did. Absent: unhandled. */
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

  informer<T extends KubeObject>(gvr: GroupVersionResource, selection: Selection = {}): SharedInformer<T> {
    return this.#get("full", gvr, selection) as SharedInformer<KubeObject> as SharedInformer<T>;
  }

  metadataInformer<T extends StoredObject>(
    gvr: GroupVersionResource,
    selection: Selection = {},
  ): SharedInformer<PartialObjectMetadata<T>> {
    const informer: SharedInformer<KubeObject> = this.#get("metadata", gvr, selection);
    return informer as SharedInformer<PartialObjectMetadata<T>>;
  }

  informerOfAnyForm(gvr: GroupVersionResource): SharedInformer<PartialObjectMetadata> {
    const hasFull = this.#entries.has(entryKey("full", gvr, {}));
    return hasFull ? this.informer<PartialObjectMetadata>(gvr) : this.metadataInformer(gvr);
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

  #get(form: Form, gvr: GroupVersionResource, selection: Selection): SharedIndexInformer<never> {
    const key = entryKey(form, gvr, selection);
    let entry = this.#entries.get(key);
    if (!entry) {
      entry = { form, informer: new SharedIndexInformer(this.#informerOptions(form, gvr, selection, key)) as never };
      this.#entries.set(key, entry);
    }
    return entry.informer;
  }

  #informerOptions(
    form: Form,
    gvr: GroupVersionResource,
    selection: Selection,
    key: string,
  ): SharedInformerOptions<KubeObject> {
    const { clock, rng, log, gates, metrics, client, metadataClient = client } = this.#options;
    const { resyncPeriodMs: fullResyncMs, metadataResyncPeriodMs = fullResyncMs } = this.#options;
    const handle = form === "full" ? client.resource(gvr) : metadataClient.metadata(gvr);
    const resyncPeriodMs = form === "full" ? fullResyncMs : metadataResyncPeriodMs;
    return {
      name: `${gvr.group}/${gvr.version}, Resource=${gvr.resource}`,
      client: handle as SharedInformerOptions<KubeObject>["client"],
      selection,
      clock,
      rng: rng.fork(key),
      transform: this.#transform(),
      ...(log && { log }),
      ...(gates && { gates }),
      ...(resyncPeriodMs !== undefined && { resyncPeriodMs }),
      ...(metrics &&
        form === "full" && {
          meter: informerMeter(metrics.metrics, {
            ...gvr,
            resource: informerResourceLabel(gvr),
            name: metrics.name,
          }),
        }),
    };
  }

  #transform(): Transform<KubeObject> {
    const transform = this.#options.transform ?? stripManagedFields;
    return this.#options.isFreezing ? (object) => deepFreeze(transform(object)) : transform;
  }
}

function entryKey(form: Form, gvr: GroupVersionResource, selection: Selection): string {
  const { namespace = "", labelSelector = "", fieldSelector = "" } = selection;
  return [form, gvr.group, gvr.version, gvr.resource, namespace, labelSelector, fieldSelector].join("\n");
}
