// Hints of the mode Auto: each endpoint serves its own zone, and zones with more endpoints than their share lend some to
// others.
// Upstream: k8s.io/endpointslice/topologycache, AddHints, getAllocatedHintsByZone, redistributeHints,
// getGivingAndReceivingZones.

import type { Endpoint } from "#api/generated/types/discovery-v1.ts";
import { type HintedSlices, isEndpointReady, type SlicesToHint, withHints } from "./hints.ts";
import { type EndpointSlice, endpointsOf, type SliceDraft } from "./model.ts";
import { type Allocation, allocateZones, type ZoneCounts, type ZoneShares } from "./zone-allocation.ts";

interface ZonedSlices extends HintedSlices {
  readonly counts: ZoneCounts;
}

/** A string says why there are no hints. */
export function withZoneHints(slices: SlicesToHint, shares: ZoneShares | undefined): ZonedSlices | string {
  const all = [...slices.create, ...slices.update, ...slices.unchanged];
  const ready = all.reduce((sum, slice) => sum + endpointsOf(slice).filter(isEndpointReady).length, 0);
  const allocations = allocateZones(shares, ready);
  if (typeof allocations === "string") return allocations;
  const { rightHints: counts, wrong } = countRightHints(slices.unchanged, allocations);
  const update = [...slices.update, ...wrong];
  const hintable = [...slices.create, ...update].flatMap((slice) => endpointsOf(slice).filter(isEndpointReady));
  for (const { zone } of hintable) {
    if (!zone) return "One or more endpoints do not have a zone specified";
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  if (counts.size === 0) return "No hints allocated for zones";
  const zoneOf = lending(allocations, counts);
  const hint = (endpoint: Endpoint): Endpoint =>
    isEndpointReady(endpoint) ? withHints(endpoint, { forZones: [{ name: zoneOf(endpoint.zone ?? "") }] }) : endpoint;
  const change = (slice: SliceDraft): SliceDraft => ({ ...slice, endpoints: endpointsOf(slice).map(hint) });
  return { create: slices.create.map(change), update: update.map(change), counts };
}

/** Counts the valid hints by zone, and finds the slices whose hints are missing, useless, or too many for a zone. */
function countRightHints(
  slices: readonly EndpointSlice[],
  allocations: ReadonlyMap<string, Allocation>,
): { readonly rightHints: Map<string, number>; readonly wrong: readonly EndpointSlice[] } {
  const rightHints = new Map<string, number>();
  const wrong: EndpointSlice[] = [];
  for (const slice of slices) {
    const zones = endpointsOf(slice)
      .filter(isEndpointReady)
      .map(({ hints }) => (hints?.forZones ?? []).map(({ name }) => name));
    const counts = new Map(rightHints);
    for (const zone of zones.flat()) counts.set(zone, (counts.get(zone) ?? 0) + 1);
    const isWrong =
      zones.some((list) => list.length === 0) ||
      zones.flat().some((zone) => (counts.get(zone) ?? 0) > (allocations.get(zone)?.maximum ?? -1));
    if (isWrong) wrong.push(slice);
    else for (const [zone, count] of counts) rightHints.set(zone, count);
  }
  return { rightHints, wrong };
}

/** The zone that the next endpoint of a zone serves. counts: updated for each lent endpoint. */
function lending(allocations: ReadonlyMap<string, Allocation>, counts: Map<string, number>): (zone: string) => string {
  const { giving, receiving } = planTransfers(allocations, counts);
  return (zone) => {
    const toGive = giving.get(zone) ?? 0;
    const receiver = toGive > 0 ? receiving.keys().next().value : undefined;
    if (receiver === undefined) return zone;
    lower(giving, zone);
    lower(receiving, receiver);
    counts.set(zone, (counts.get(zone) ?? 0) - 1);
    counts.set(receiver, (counts.get(receiver) ?? 0) + 1);
    return receiver;
  };
}

function lower(counts: Map<string, number>, zone: string): void {
  const rest = (counts.get(zone) ?? 0) - 1;
  if (rest > 0) counts.set(zone, rest);
  else counts.delete(zone);
}

/**
 * How many endpoints zones give and get: one at a time, from the zone with the largest surplus to the zone with the
 * largest deficit.
 */
function planTransfers(
  allocations: ReadonlyMap<string, Allocation>,
  counts: ZoneCounts,
): { readonly giving: Map<string, number>; readonly receiving: Map<string, number> } {
  const surplus = new Map<string, number>();
  const lack = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (counts.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    else if (difference < 0) lack.set(zone, -difference);
  }
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const [giver, receiver] = [largest(surplus), largest(lack)];
    if (giver === undefined || receiver === undefined) break;
    const isSettled = giver.amount < 1 && receiver.amount < 1;
    if (isSettled || giver.amount < 0.5 || receiver.amount < 0.5) break;
    giving.set(giver.zone, (giving.get(giver.zone) ?? 0) + 1);
    surplus.set(giver.zone, giver.amount - 1);
    receiving.set(receiver.zone, (receiving.get(receiver.zone) ?? 0) + 1);
    lack.set(receiver.zone, receiver.amount - 1);
  }
  return { giving, receiving };
}

/** Of equal amounts the first. */
function largest(amounts: ReadonlyMap<string, number>): { readonly zone: string; readonly amount: number } | undefined {
  let best: { readonly zone: string; readonly amount: number } | undefined;
  for (const [zone, amount] of amounts) {
    if (amount > (best?.amount ?? 0)) best = { zone, amount };
  }
  return best;
}
