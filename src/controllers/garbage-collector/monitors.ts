// The watches that feed the graph: one per resource that can be deleted, added and removed as kinds come and go.
// Upstream: pkg/controller/garbagecollector/graph_builder.go, syncMonitors, startMonitors, controllerFor.
// Deviation: upstream watches whole objects of every built-in kind. Here a resource that no other controller caches is
// watched for its metadata alone, and the watch ends with the resource.

import type { ObjectMeta } from "#api/meta.ts";
import { apiVersionOf, type GroupVersionResource, type ObjectKey, resourceText } from "#api/object.ts";
import type { PartialObjectMetadata, Resource } from "#api/resource.ts";
import { errorMessage } from "#base/errors.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { HandlerRegistration, InformerFactory, SharedInformer } from "#informers/informer.ts";
import { aggregate } from "#kit/aggregate-error.ts";
import type { Resources } from "#kit/discovered-resources.ts";
import type { ChangeType } from "#kit/trace.ts";
import type { GraphChange } from "./graph.ts";

export interface MonitorOptions {
  readonly informers: InformerFactory;
  readonly restMapper: RestMapper;
  /** By "resource.group", as resourceName prints it. */
  readonly ignoredResources: ReadonlySet<string>;
  onChange(change: GraphChange, event: ChangeType, resource: string): void;
}

interface Monitor {
  readonly informer: SharedInformer<PartialObjectMetadata>;
  readonly registration: HandlerRegistration;
}

export class Monitors implements Disposable {
  readonly #options: MonitorOptions;
  readonly #monitors = new Map<string, Monitor>();
  /**
   * The objects that a removed monitor last saw, by resource without version. Deletions while no monitor of the
   * resource runs are found when the next monitor has filled its cache.
   */
  readonly #lastSeen = new Map<string, readonly (readonly [Resource, PartialObjectMetadata])[]>();

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Adds and removes monitors; start() starts new ones. Tries all of them, then fails. */
  async sync(resources: Resources, signal: AbortSignal): Promise<void> {
    const { ignoredResources, restMapper } = this.#options;
    const errors: unknown[] = [];
    for (const [text, monitor] of this.#monitors) {
      if (!resources.has(text)) await this.#remove(text, monitor);
    }
    for (const [text, resource] of resources) {
      if (this.#monitors.has(text) || ignoredResources.has(resourceName(resource))) continue;
      try {
        this.#monitors.set(text, this.#monitor(await restMapper.resourceFor(resource, signal)));
      } catch (cause) {
        signal.throwIfAborted();
        errors.push(new Error(`couldn't look up resource "${text}": ${errorMessage(cause)}`, { cause }));
      }
    }
    const error = aggregate(errors);
    if (error !== undefined) throw error;
  }

  start(signal: AbortSignal): void {
    this.#options.informers.start();
    for (const monitor of this.#monitors.values()) void this.#reportMissed(monitor, signal);
  }

  /** True if there are monitors and all have filled their caches. */
  get isSynced(): boolean {
    return this.#monitors.size > 0 && [...this.#monitors.values()].every(({ registration }) => registration.hasSynced);
  }

  isResourceSynced(resource: GroupVersionResource): boolean {
    return this.#monitors.get(resourceText(resource))?.registration.hasSynced === true;
  }

  /** An object's metadata in the cache, if the resource is watched and the cache has the object. */
  cached(resource: GroupVersionResource, key: ObjectKey): ObjectMeta | undefined {
    return this.#monitors.get(resourceText(resource))?.informer.store.get(key)?.metadata;
  }

  /** The cache of a resource that is watched. */
  informerOf(resource: GroupVersionResource): SharedInformer<PartialObjectMetadata> | undefined {
    return this.#monitors.get(resourceText(resource))?.informer;
  }

  [Symbol.dispose](): void {
    for (const { registration } of this.#monitors.values()) registration[Symbol.dispose]();
    this.#monitors.clear();
  }

  #monitor(resource: Resource): Monitor {
    const { informers, onChange } = this.#options;
    const informer = informers.informerOfAnyForm(resource);
    const report = (event: ChangeType, object: PartialObjectMetadata, old?: PartialObjectMetadata): void =>
      onChange(changeOf(event, resource, object, old), event, resource.resource);
    const registration = informer.addHandler(
      {
        onAdd: (object) => report("add", object),
        onUpdate: (old, object) => report("update", object, old),
        onDelete: (object) => report("delete", object),
      },
      { resyncPeriodMs: 0 },
    );
    return { informer, registration };
  }

  async #remove(text: string, { informer, registration }: Monitor): Promise<void> {
    this.#monitors.delete(text);
    const { resource } = informer;
    const objects = [...informer.store.values()].map((object) => [resource, object] as const);
    if (objects.length > 0) this.#lastSeen.set(resourceName(resource), objects);
    registration[Symbol.dispose]();
    await this.#options.informers.stopUnused(informer);
  }

  /** Reports to the graph the objects that existed when this resource's last monitor ended and are gone now. */
  async #reportMissed({ informer, registration }: Monitor, signal: AbortSignal): Promise<void> {
    const name = resourceName(informer.resource);
    if (!this.#lastSeen.has(name)) return;
    try {
      await registration.synced(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    const present = new Set([...informer.store.values()].map(({ metadata }) => metadata.uid));
    for (const [resource, object] of this.#lastSeen.get(name) ?? []) {
      if (present.has(object.metadata.uid)) continue;
      this.#options.onChange(changeOf("delete", resource, object), "delete", resource.resource);
    }
    this.#lastSeen.delete(name);
  }
}

/** "deployments.apps", "pods". */
export function resourceName({ group, resource }: Pick<GroupVersionResource, "group" | "resource">): string {
  return group === "" ? resource : `${resource}.${group}`;
}

function changeOf(
  event: ChangeType,
  resource: Resource,
  { metadata }: PartialObjectMetadata,
  old?: PartialObjectMetadata,
): GraphChange {
  const { namespace = "", name, uid } = metadata;
  const identity = { apiVersion: apiVersionOf(resource), kind: resource.kind, namespace, name, uid };
  if (event === "delete") return { kind: "deleted", identity };
  return { kind: "seen", identity, metadata, ...(old && { old: old.metadata }) };
}
