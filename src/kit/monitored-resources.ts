// The caches of the garbage collector, for a controller that works on all objects of a resource. The garbage collector
// registers them, and other controllers look them up.

import type { GroupVersionResource } from "#api/object.ts";
import type { PartialObjectMetadata } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";

export type MonitoredInformer = SharedInformer<PartialObjectMetadata>;

export class MonitoredResources {
  #find: (resource: GroupVersionResource) => MonitoredInformer | undefined = () => undefined;

  provide(find: (resource: GroupVersionResource) => MonitoredInformer | undefined): void {
    this.#find = find;
  }

  /** Undefined when the resource is not watched in this version. */
  find(resource: GroupVersionResource): MonitoredInformer | undefined {
    return this.#find(resource);
  }
}
