// EndpointSlices as the controllers that write them see them. The label managed-by says which controller owns a slice.

import type { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import type { Endpoint, EndpointPort } from "#api/generated/types/discovery-v1.ts";
import { portMapKey, sortSlicePorts } from "#api/hash.ts";
import { asPrefix, isDns1123Subdomain } from "#api/names.ts";
import type { ObjectKey } from "#api/object.ts";
import type { Draft, ObjectOf } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { compareText } from "#kit/order.ts";

export type EndpointSlice = ObjectOf<typeof EndpointSlices>;
/** A slice to be written: a changed copy of a stored one, or a new one without a name. */
export type SliceDraft = Draft<EndpointSlice>;
export type AddressType = "IPv4" | "IPv6";

export const SERVICE_NAME = "kubernetes.io/service-name";
export const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";

/** Endpoints and ports of a stored slice may be null. */
export function endpointsOf({ endpoints }: SliceDraft | EndpointSlice): readonly Endpoint[] {
  return endpoints ?? [];
}

const portKeys = new WeakMap<object, string>();

/** Slices and pods with equal keys have the same ports. */
export function portKeyOf(ports: readonly EndpointPort[] | null | undefined): string {
  if (!ports) return portKeyOf(NO_PORTS);
  let key = portKeys.get(ports);
  if (key === undefined) {
    key = portMapKey(sortSlicePorts(ports));
    portKeys.set(ports, key);
  }
  return key;
}

const NO_PORTS: readonly EndpointPort[] = [];

/** The prefix of generated names: it ends with a dash if the length allows it. */
export function namePrefix(serviceName: string): string {
  const prefix = `${serviceName}-`;
  return isDns1123Subdomain(asPrefix(prefix)).length === 0 ? prefix : serviceName;
}

/** The key of the Service that the slice belongs to, if any. */
export function serviceKeyOf({ metadata }: EndpointSlice): ObjectKey | undefined {
  const name = metadata.labels?.[SERVICE_NAME];
  return name ? `${metadata.namespace}/${name}` : undefined;
}

const BY_SERVICE = "service";

/** Adds the index unless another controller already has. */
export function addServiceIndex(slices: SharedInformer<EndpointSlice>): void {
  if (slices.store.hasIndex(BY_SERVICE)) return;
  slices.addIndexers({
    [BY_SERVICE]: (slice) => {
      const key = serviceKeyOf(slice);
      return key === undefined ? [] : [key];
    },
  });
}

/** The slices of a Service that this controller manages, by name. */
export function slicesOf(
  slices: SharedInformer<EndpointSlice>,
  service: ObjectKey,
  managedBy: string,
): readonly EndpointSlice[] {
  return slices.store
    .byIndex(BY_SERVICE, service)
    .filter(({ metadata }) => metadata.labels?.[MANAGED_BY] === managedBy)
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
}
