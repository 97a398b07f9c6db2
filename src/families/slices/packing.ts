// Puts the wanted endpoints of one set of ports into slices with few writes. Endpoints stay where they are. New ones go
// first into slices that change anyway, fullest first, then together into one slice that has room for all, and
// otherwise into new slices. Slices are never rebalanced.
// Upstream: k8s.io/endpointslice/reconciler.go, reconcileByPortMapping.

import type { Endpoint } from "#api/generated/types/discovery-v1.ts";
import { type EndpointSet, isSameState } from "./endpoint-set.ts";
import { type EndpointSlice, endpointsOf, type SliceDraft } from "./model.ts";

export interface SlicePlan {
  readonly create: readonly SliceDraft[];
  /** Slices with names. */
  readonly update: readonly SliceDraft[];
  readonly remove: readonly EndpointSlice[];
}

interface Packing extends SlicePlan {
  readonly added: number;
  readonly removed: number;
}

interface PackingRules {
  readonly endpointsMax: number;
  /** The labels of a slice, and whether they differ from its current ones. */
  readonly labelsOf: (slice: EndpointSlice) => {
    readonly labels: Readonly<Record<string, string>>;
    readonly isChanged: boolean;
  };
  readonly newSlice: (endpoints: readonly Endpoint[]) => SliceDraft;
}

/** wanted: is emptied. */
export function packSlices(existing: readonly EndpointSlice[], wanted: EndpointSet, rules: PackingRules): Packing {
  const { endpointsMax, labelsOf, newSlice } = rules;
  const changed: EndpointSlice[] = [];
  const unchanged: EndpointSlice[] = [];
  const remove: EndpointSlice[] = [];
  let removed = 0;
  for (const slice of existing) {
    const before = endpointsOf(slice);
    const { kept, isUpdated } = keepWanted(before, wanted);
    const { labels, isChanged } = labelsOf(slice);
    removed += before.length - kept.length;
    if (!isUpdated && before.length === kept.length) {
      if (isChanged) changed.push(relabelled(slice, labels));
      else unchanged.push(slice);
    } else if (kept.length === 0) remove.push(slice);
    else changed.push({ ...relabelled(slice, labels), endpoints: kept });
  }
  const added = wanted.size;
  const update: SliceDraft[] = changed
    .toSorted((a, b) => endpointsOf(b).length - endpointsOf(a).length)
    .map((slice) => filled(slice, wanted, endpointsMax));
  const create: SliceDraft[] = [];
  while (wanted.size > 0) {
    const roomy = wanted.size < endpointsMax ? closestToFull(unchanged, wanted.size, endpointsMax) : undefined;
    if (roomy === undefined) create.push(newSlice(wanted.takeSome(endpointsMax)));
    else update.push(filled(roomy, wanted, endpointsMax));
  }
  return { create, update, remove, added, removed };
}

/** The endpoints of a slice that are still wanted, in their wanted form. Removes them from `wanted`. */
function keepWanted(
  endpoints: readonly Endpoint[],
  wanted: EndpointSet,
): { readonly kept: readonly Endpoint[]; readonly isUpdated: boolean } {
  const kept: Endpoint[] = [];
  let isUpdated = false;
  for (const endpoint of endpoints) {
    const current = wanted.take(endpoint);
    if (current === undefined) continue;
    kept.push(current);
    isUpdated ||= !isSameState(current, endpoint);
  }
  return { kept, isUpdated };
}

function relabelled(slice: EndpointSlice, labels: Readonly<Record<string, string>>): EndpointSlice {
  return { ...slice, metadata: { ...slice.metadata, labels } };
}

function filled(slice: EndpointSlice, wanted: EndpointSet, endpointsMax: number): EndpointSlice {
  const endpoints = endpointsOf(slice);
  if (wanted.size === 0 || endpoints.length >= endpointsMax) return slice;
  return { ...slice, endpoints: [...endpoints, ...wanted.takeSome(endpointsMax - endpoints.length)] };
}

/** Among the slices with room for `count` more endpoints, the one with the least room. */
function closestToFull(
  slices: readonly EndpointSlice[],
  count: number,
  endpointsMax: number,
): EndpointSlice | undefined {
  let best: EndpointSlice | undefined;
  let bestRoom = endpointsMax;
  for (const slice of slices) {
    const room = endpointsMax - count - endpointsOf(slice).length;
    if (room < 0 || room >= bestRoom) continue;
    best = slice;
    bestRoom = room;
  }
  return best;
}
