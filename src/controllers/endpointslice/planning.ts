// The writes that make the slices of one address type hold the endpoints of a Service; hints are added later.
// Upstream: k8s.io/endpointslice/reconciler.go, reconcileByAddressType.

import type { Pod, Service } from "#families/service-pods/model.ts";
import type { PortCounts } from "#families/slices/efficiency.ts";
import { type AddressType, type EndpointSlice, portKeyOf, type SliceDraft } from "#families/slices/model.ts";
import { packSlices, type SlicePlan } from "#families/slices/packing.ts";
import type { Node } from "./model.ts";
import { isOwnedBy, isPlaceholder, newSlice, sliceLabels } from "./slice-form.ts";
import { wantedEndpoints } from "./wanted-endpoints.ts";

interface SliceWorld {
  readonly service: Service;
  readonly pods: readonly Pod[];
  /** The slices of the address type. */
  readonly slices: readonly EndpointSlice[];
  readonly nodeOf: (name: string) => Node | undefined;
  readonly addressType: AddressType;
  readonly endpointsMax: number;
}

interface ServicePlan extends SlicePlan {
  /** Slices that stay as they are. */
  readonly unchanged: readonly EndpointSlice[];
  readonly added: number;
  readonly removed: number;
  readonly counts: PortCounts;
  readonly withoutNode: readonly Pod[];
}

export function planSlices(world: SliceWorld): ServicePlan {
  const { service, slices, addressType, endpointsMax } = world;
  const { groups, withoutNode } = wantedEndpoints(service, world.pods, world.nodeOf, addressType);
  const owned = Map.groupBy(
    slices.filter((slice) => isOwnedBy(slice, service)),
    ({ ports }) => portKeyOf(ports),
  );
  const create: SliceDraft[] = [];
  const update: SliceDraft[] = [];
  const remove = slices.filter((slice) => !isOwnedBy(slice, service));
  const counts = new Map<string, { readonly endpoints: number; readonly slices: number }>();
  let [added, removed] = [0, 0];
  for (const { key, ports, endpoints } of groups) {
    const existing = owned.get(key) ?? [];
    const count = endpoints.size;
    const packing = packSlices(existing, endpoints, {
      endpointsMax,
      labelsOf: (slice) => sliceLabels(service, slice),
      newSlice: (endpoints) => newSlice(service, addressType, ports, endpoints),
    });
    counts.set(key, {
      endpoints: count,
      slices: existing.length + packing.create.length - packing.remove.length,
    });
    create.push(...packing.create);
    update.push(...packing.update);
    remove.push(...packing.remove);
    added += packing.added;
    removed += packing.removed;
    owned.delete(key);
  }
  for (const unwanted of owned.values()) remove.push(...unwanted);
  if (remove.length === slices.length && create.length === 0) {
    const [only, ...others] = remove;
    if (only !== undefined && others.length === 0 && isPlaceholder(only, service)) remove.length = 0;
    else create.push(newSlice(service, addressType, [], []));
    counts.set(portKeyOf([]), { endpoints: 0, slices: 1 });
  }
  const written = new Set([...update, ...remove].map(({ metadata }) => metadata.name));
  const unchanged = slices.filter(({ metadata }) => !written.has(metadata.name));
  return { create, update, remove, unchanged, added, removed, counts, withoutNode };
}
