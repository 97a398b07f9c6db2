import { describe, expect, it } from "vitest";
import { planDisruption } from "./disruption.ts";
import type { ZoneHealth, ZoneState } from "./zones.ts";

const rates = { normalPerSecond: 0.1, reducedPerSecond: 0.01, largeZoneSize: 50 };
const zone = (state: ZoneState, size = 10): ZoneHealth => ({ state, size, unhealthy: 0 });

function plan(old: Record<string, ZoneState>, now: Record<string, ZoneHealth>) {
  const {
    change,
    states,
    rates: changed,
  } = planDisruption(new Map(Object.entries(old)), new Map(Object.entries(now)), rates);
  return { change, states: Object.fromEntries(states), rates: Object.fromEntries(changed) };
}

describe("the plan of disruption", () => {
  it("node-lifecycle/12 changes the rates of the zones that changed, alone", () => {
    const old = { a: "Normal", b: "Normal", c: "Normal", d: "PartialDisruption" } as const;
    const now = {
      a: zone("Normal"),
      b: zone("PartialDisruption"),
      c: zone("PartialDisruption", 51),
      d: zone("FullDisruption"),
    };
    expect(plan(old, now)).toEqual({
      change: "none",
      states: { a: "Normal", b: "PartialDisruption", c: "PartialDisruption", d: "FullDisruption" },
      rates: { b: 0, c: 0.01, d: 0.1 },
    });
  });

  it("node-lifecycle/12 stops all zones when all are fully disrupted, also on the first look", () => {
    const now = { a: zone("FullDisruption"), b: zone("FullDisruption") };
    const stopped = {
      change: "enter",
      states: { a: "FullDisruption", b: "FullDisruption" },
      rates: { a: 0, b: 0 },
    };
    expect(plan({ a: "Normal", b: "FullDisruption" }, now)).toEqual(stopped);
    expect(plan({ a: "Initial", b: "Initial" }, now)).toEqual(stopped);
    expect(plan({ a: "FullDisruption", b: "FullDisruption" }, now)).toMatchObject({ change: "none", rates: {} });
  });

  it("node-lifecycle/12 gives all zones their rates when one recovers", () => {
    const now = { a: zone("FullDisruption"), b: zone("PartialDisruption", 60), c: zone("Normal") };
    expect(plan({ a: "FullDisruption", b: "FullDisruption", c: "FullDisruption" }, now)).toMatchObject({
      change: "exit",
      rates: { a: 0.1, b: 0.01, c: 0.1 },
    });
  });

  it("node-lifecycle/12 leaves a stopped zone stopped when a new zone brings the first ready node, as upstream", () => {
    const now = { a: zone("FullDisruption"), b: zone("Normal") };
    expect(plan({ a: "FullDisruption" }, now)).toMatchObject({ change: "none", rates: { b: 0.1 } });
  });

  it("node-lifecycle/traps forgets zones without nodes", () => {
    expect(plan({ a: "Normal", gone: "FullDisruption" }, { a: zone("Normal") })).toEqual({
      change: "none",
      states: { a: "Normal" },
      rates: {},
    });
  });
});
