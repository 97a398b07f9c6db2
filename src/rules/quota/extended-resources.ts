// Maps extended resources to device classes and back, updated with the device classes. Upstream:
// k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache

import type { DeviceClass } from "#api/generated/types/resource-v1.ts";
import { timeOrUndefined } from "#api/time.ts";

const IMPLICIT = "deviceclass.resource.kubernetes.io/";

export class ExtendedResources {
  readonly #classOfResource = new Map<string, DeviceClass>();
  readonly #resourceOfClass = new Map<string, string>();

  deviceClassOf(resource: string): DeviceClass | undefined {
    return this.#classOfResource.get(resource);
  }

  extendedResourceOf(className: string): string | undefined {
    return this.#resourceOfClass.get(className);
  }

  set(deviceClass: DeviceClass, old?: DeviceClass): void {
    const name = deviceClass.metadata?.name ?? "";
    const resource = deviceClass.spec?.extendedResourceName;
    const rival = resource === undefined ? undefined : this.#classOfResource.get(resource);
    if (rival === undefined || wins(deviceClass, rival)) {
      if (old !== undefined) this.#forget(old);
      if (resource !== undefined) this.#classOfResource.set(resource, deviceClass);
      this.#classOfResource.set(IMPLICIT + name, deviceClass);
    }
    if (resource === undefined) this.#resourceOfClass.delete(name);
    else this.#resourceOfClass.set(name, resource);
  }

  delete(deviceClass: DeviceClass): void {
    this.#forget(deviceClass);
    this.#resourceOfClass.delete(deviceClass.metadata?.name ?? "");
  }

  #forget({ metadata, spec }: DeviceClass): void {
    this.#classOfResource.delete(IMPLICIT + (metadata?.name ?? ""));
    if (spec?.extendedResourceName !== undefined) this.#classOfResource.delete(spec.extendedResourceName);
  }
}

/** If two classes claim one resource, the newer wins, then the first by name. */
function wins(contender: DeviceClass, holder: DeviceClass): boolean {
  const [a, b] = [contender, holder].map(({ metadata }) => timeOrUndefined(metadata?.creationTimestamp) ?? 0);
  if (a !== b) return (a ?? 0) > (b ?? 0);
  return (contender.metadata?.name ?? "") < (holder.metadata?.name ?? "");
}
