// The form of a slice of a Service: labels, owner, and the placeholder for a Service without endpoints.
// Upstream: k8s.io/endpointslice/utils.go, newEndpointSlice, setEndpointSliceLabels, ownedBy; reconciler.go,
// placeholderSliceCompare.

import { semanticEqual } from "#api/equality.ts";
import { Services } from "#api/generated/resources/core-v1.ts";
import type { Endpoint, EndpointPort } from "#api/generated/types/discovery-v1.ts";
import { newControllerRef } from "#api/owner-refs.ts";
import { formatTime } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { HEADLESS, hasClusterIp, type Service, TRIGGER_TIME, withoutKeys } from "#families/service-pods/model.ts";
import {
  type AddressType,
  type EndpointSlice,
  endpointsOf,
  MANAGED_BY,
  namePrefix,
  SERVICE_NAME,
  type SliceDraft,
} from "#families/slices/model.ts";
import { CONTROLLER_NAME } from "./model.ts";

type Labels = Readonly<Record<string, string>>;

const unreserved = (labels: Labels | undefined): Labels => withoutKeys(labels, SERVICE_NAME, MANAGED_BY, HEADLESS);

/**
 * The labels of the Service, and three that it cannot set. A difference in these three alone does not cause a write.
 */
export function sliceLabels(
  service: Service,
  slice?: EndpointSlice,
): { readonly labels: Labels; readonly isChanged: boolean } {
  const { labels: own, name } = service.metadata;
  const copied = unreserved(own);
  const labels = {
    ...copied,
    ...(hasClusterIp(service) ? {} : { [HEADLESS]: "" }),
    [SERVICE_NAME]: name,
    [MANAGED_BY]: CONTROLLER_NAME,
  };
  return { labels, isChanged: !semanticEqual(unreserved(slice?.metadata.labels), copied) };
}

export function newSlice(
  service: Service,
  addressType: AddressType,
  ports: readonly EndpointPort[],
  endpoints: readonly Endpoint[],
): SliceDraft {
  const { name, namespace } = service.metadata;
  return {
    metadata: {
      generateName: namePrefix(name),
      namespace,
      labels: sliceLabels(service).labels,
      ownerReferences: [newControllerRef(service, Services)],
    },
    addressType,
    endpoints,
    ports,
  };
}

/** Slices of an earlier Service with this name are not owned by this one. */
export function isOwnedBy({ metadata }: EndpointSlice, service: Service): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ uid, kind, apiVersion }) => uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  );
}

/** True if the slice equals a new placeholder, apart from its owner. As upstream, an empty label counts as absent. */
export function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  return (
    endpointsOf(slice).length === 0 &&
    (slice.ports ?? []).length === 0 &&
    semanticEqual(withValues(slice.metadata.labels), withValues(sliceLabels(service).labels))
  );
}

function withValues(labels: Labels = {}): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ""));
}

/** Sets the trigger time annotation, or removes it. */
export function withTriggerTime<T extends SliceDraft>(slice: T, time: EpochMs | undefined): T {
  const { annotations, ...metadata } = slice.metadata;
  const others = withoutKeys(annotations, TRIGGER_TIME);
  const all = time === undefined ? others : { ...others, [TRIGGER_TIME]: formatTime(time) };
  return { ...slice, metadata: Object.keys(all).length === 0 ? metadata : { ...metadata, annotations: all } };
}
