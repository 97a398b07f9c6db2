// The watches that show when objects free quota: one per countable resource, added and removed as kinds come and go.
// The API server charges creations, so only deletions and some updates matter.
// Upstream: pkg/controller/resourcequota/resource_quota_monitor.go. Deviation: upstream watches whole objects of every
// built-in kind. Here a resource that no other controller caches is watched for its metadata alone, and the watch ends
// with the resource.

import { type KubeObject, resourceText } from "#api/object.ts";
import type { PartialObjectMetadata, Resource, StoredObject } from "#api/resource.ts";
import { type GroupResource, groupResourceText } from "#api/status-error.ts";
import type { Logger } from "#base/log.ts";
import type { HandlerRegistration, SharedInformer } from "#informers/informer.ts";
import type { ControllerContext } from "#kit/controller.ts";
import type { Resources } from "#kit/discovered-resources.ts";
import { type Cause, eventCause } from "#kit/trace.ts";
import { isIgnoredByQuota, type QuotaRegistry } from "#rules/quota/registry.ts";
import { mayFreeQuota } from "#rules/quota/update-filter.ts";

/** An object of this kind in this namespace may have freed quota. */
export interface Change {
  readonly resource: GroupResource;
  readonly namespace: string;
}

export function changeText({ resource, namespace }: Change): string {
  return `${groupResourceText(resource)} in ${namespace}`;
}

export interface MonitorOptions {
  readonly context: Pick<ControllerContext, "clock" | "informers">;
  readonly log: Logger;
  readonly registry: QuotaRegistry;
  /** Informers of kinds for which metadata is not enough. */
  readonly whole: readonly SharedInformer<StoredObject>[];
  onChange(change: Change, cause: Cause): void;
}

interface Monitor {
  readonly informer: SharedInformer<PartialObjectMetadata>;
  readonly registration: HandlerRegistration;
}

export class QuotaMonitors implements Disposable {
  readonly #options: MonitorOptions;
  readonly #monitors = new Map<string, Monitor>();
  /** By group and resource: the watched version does not change the count. */
  readonly #listed = new Map<string, SharedInformer<StoredObject>>();

  constructor(options: MonitorOptions) {
    this.#options = options;
    for (const informer of options.whole) this.#listed.set(groupResourceText(informer.resource), informer);
  }

  /** Adds and removes monitors; start() starts new ones. */
  async sync(resources: Resources): Promise<void> {
    const { context, log, registry } = this.#options;
    for (const [text, { informer, registration }] of this.#monitors) {
      if (resources.has(text)) continue;
      this.#monitors.delete(text);
      registration[Symbol.dispose]();
      await context.informers.stopUnused(informer);
    }
    for (const [text, resource] of resources) {
      if (this.#monitors.has(text) || isIgnoredByQuota(resource)) continue;
      const monitor = this.#monitor(resource);
      this.#monitors.set(text, monitor);
      if (!this.#isWhole(resource)) this.#listed.set(groupResourceText(resource), monitor.informer);
      if (registry.get(resource) !== undefined) continue;
      registry.getOrCount(resource);
      log.info("QuotaMonitor created object count evaluator", { resource: groupResourceText(resource) });
    }
  }

  start(): void {
    this.#options.context.informers.start();
  }

  /** True if there are monitors and all have filled their caches. */
  get isSynced(): boolean {
    return this.#monitors.size > 0 && [...this.#monitors.values()].every(({ registration }) => registration.hasSynced);
  }

  /** The objects of a resource in a namespace; empty if the resource is no longer served. */
  list(resource: GroupResource, namespace: string): readonly KubeObject[] {
    const informer = this.#listed.get(groupResourceText(resource));
    if (informer === undefined) return [];
    if (!informer.hasSynced) throw new Error(`${resourceText(informer.resource)} not yet synced`);
    return informer.lister.list(undefined, namespace);
  }

  [Symbol.dispose](): void {
    for (const { registration } of this.#monitors.values()) registration[Symbol.dispose]();
    this.#monitors.clear();
  }

  #isWhole(resource: GroupResource): boolean {
    const text = groupResourceText(resource);
    return this.#options.whole.some((informer) => groupResourceText(informer.resource) === text);
  }

  #monitor(resource: Resource): Monitor {
    const { context, onChange } = this.#options;
    const informer = context.informers.informerOfAnyForm(resource);
    const report = (event: "update" | "delete", object: PartialObjectMetadata): void =>
      onChange({ resource, namespace: object.metadata.namespace ?? "" }, eventCause(resource, event, object));
    // Upstream draws a period for each handler. Here the informer may run already, so the handler takes its period.
    const registration = informer.addHandler({
      onUpdate: (old, object) => {
        if (mayFreeQuota(resource, old, object, context.clock.now())) report("update", object);
      },
      onDelete: (object) => report("delete", object),
    });
    return { informer, registration };
  }
}
