// How the states of all zones change the rate at which nodes are tainted. When no node of any zone is ready, the fault
// is more likely in the control plane, so all tainting stops.
// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go, handleDisruption, setLimiterInZone.

import type { ZoneHealth, ZoneState } from "./zones.ts";

export interface Rates {
  /** --node-eviction-rate: nodes per second in a zone. */
  readonly normalPerSecond: number;
  /** --secondary-node-eviction-rate: the same in a large zone that is partially disrupted. */
  readonly reducedPerSecond: number;
  /** --large-cluster-size-threshold: in smaller zones partial disruption stops tainting. */
  readonly largeZoneSize: number;
}

export interface DisruptionPlan {
  readonly change: "enter" | "exit" | "none";
  /** The states of all zones with nodes. */
  readonly states: ReadonlyMap<string, ZoneState>;
  /** New rates; 0 stops tainting in the zone. */
  readonly rates: ReadonlyMap<string, number>;
}

/** Zones without nodes are forgotten. */
export function planDisruption(
  old: ReadonlyMap<string, ZoneState>,
  zones: ReadonlyMap<string, ZoneHealth>,
  rates: Rates,
): DisruptionPlan {
  const before = new Map([...zones.keys()].map((zone) => [zone, old.get(zone) ?? "Initial"] as const));
  const wasFull = [...before.values()].every((state) => state === "FullDisruption");
  const isFull = [...zones.values()].every(({ state }) => state === "FullDisruption");
  if (wasFull && isFull) return { change: "none", states: before, rates: new Map() };
  if (isFull) {
    return {
      change: "enter",
      states: new Map([...zones.keys()].map((zone) => [zone, "FullDisruption"])),
      rates: new Map([...zones.keys()].map((zone) => [zone, 0])),
    };
  }
  const changed = [...zones].filter(([zone, { state }]) => wasFull || before.get(zone) !== state);
  return {
    change: wasFull ? "exit" : "none",
    states: new Map([...zones].map(([zone, { state }]) => [zone, state])),
    rates: new Map(changed.map(([zone, health]) => [zone, rateOf(health, rates)])),
  };
}

function rateOf({ state, size }: ZoneHealth, rates: Rates): number {
  if (state !== "PartialDisruption") return rates.normalPerSecond;
  return size > rates.largeZoneSize ? rates.reducedPerSecond : 0;
}
