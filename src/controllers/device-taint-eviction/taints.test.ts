import { describe, expect, it } from "vitest";
import { ResourceSlices } from "#api/generated/resources/resource-v1.ts";
import { DeviceTaintRules } from "#api/generated/resources/resource-v1beta2.ts";
import type { DeviceTaint, DeviceToleration } from "#api/generated/types/resource-v1.ts";
import type { DeviceTaintSelector } from "#api/generated/types/resource-v1beta2.ts";
import { stored } from "#api/testing.ts";
import { Pools } from "./pools.ts";
import {
  compareSources,
  evictionTime,
  isSameEviction,
  joinEvictions,
  type Rule,
  type Slice,
  selects,
  type TaintSource,
  tolerates,
} from "./taints.ts";

const ADDED_MS = Date.parse("2026-01-01T00:00:00Z");
const taint: DeviceTaint = { key: "broken", value: "yes", effect: "NoExecute", timeAdded: "2026-01-01T00:00:00Z" };

const rule = (name: string, deviceSelector?: DeviceTaintSelector): Rule =>
  stored(DeviceTaintRules, { metadata: { name }, spec: { taint, ...(deviceSelector ? { deviceSelector } : {}) } });

const slice = (name: string, generation: number, devices: Readonly<Record<string, readonly DeviceTaint[]>>): Slice =>
  stored(ResourceSlices, {
    metadata: { name },
    spec: {
      driver: "d",
      pool: { name: "p", generation, resourceSliceCount: 1 },
      devices: Object.entries(devices).map(([device, taints]) => ({ name: device, taints })),
    },
  });

describe("device-taint-eviction/2", () => {
  const tolerating = (toleration: DeviceToleration): DeviceToleration => ({
    effect: "NoExecute",
    key: "broken",
    operator: "Exists",
    ...toleration,
  });

  it.each<[string, DeviceToleration[], number | undefined]>([
    ["at once without tolerations", [], 0],
    ["never with one without an end", [tolerating({})], undefined],
    ["after its time", [tolerating({ tolerationSeconds: 30 })], 30],
    ["after the shortest time", [tolerating({ tolerationSeconds: 30 }), tolerating({ tolerationSeconds: 5 })], 5],
    ["never if one of several has no end", [tolerating({ tolerationSeconds: 30 }), tolerating({})], undefined],
    ["at once after a time below zero", [tolerating({ tolerationSeconds: -5 })], 0],
    ["at once where the effect is not named", [{ key: "broken", operator: "Exists" }], 0],
    ["at once where the key is another", [tolerating({ key: "other" })], 0],
  ])("evicts %s", (_, tolerations, seconds) => {
    const expected = seconds === undefined ? undefined : ADDED_MS + seconds * 1000;
    expect(evictionTime(taint, tolerations)).toBe(expected);
  });

  it.each<[DeviceToleration, boolean]>([
    [{}, false],
    [{ value: "yes" }, true],
    [{ operator: "Equal", key: "broken", value: "yes", effect: "NoExecute" }, true],
    [{ operator: "Exists" }, true],
    [{ operator: "Exists", effect: "NoSchedule" }, false],
    [{ operator: "Exists", key: "other" }, false],
    [{ operator: "Later" }, false],
  ])("tells whether %j tolerates a taint: %s", (toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });
});

describe("device-taint-eviction/3", () => {
  const device = { driver: "d", pool: "p", device: "gpu-0" };
  it.each<[DeviceTaintSelector | undefined, boolean]>([
    [undefined, false],
    [{}, true],
    [{ driver: "d" }, true],
    [{ driver: "d", pool: "p", device: "gpu-0" }, true],
    [{ driver: "other" }, false],
    [{ pool: "other" }, false],
    [{ device: "gpu-1" }, false],
  ])("selects by %j: %s", (selector, expected) => {
    expect(selects(rule("r", selector), device)).toBe(expected);
  });
});

describe("device-taint-eviction/1, device-taint-eviction/traps", () => {
  it("sorts taints, and joins evictions", () => {
    const ofRule = (name: string): TaintSource => ({ kind: "rule", rule: rule(name), taint });
    const of = (device: string, index: number): TaintSource => ({
      kind: "slice",
      slice: slice("s", 1, {}),
      device,
      index,
      taint,
    });
    const [a, b, c, d] = [ofRule("a"), ofRule("b"), of("x", 0), of("x", 1)];
    expect([d, b, c, a].sort(compareSources)).toEqual([a, b, c, d]);
    expect(joinEvictions({ atMs: 5, sources: [a, c] }, { atMs: 3, sources: [a, b] })).toEqual({
      atMs: 3,
      sources: [a, b, c],
    });
    expect(joinEvictions(undefined, { atMs: 3, sources: [a] })).toEqual({ atMs: 3, sources: [a] });
    expect(isSameEviction({ atMs: 3, sources: [a, c] }, { atMs: 3, sources: [a, c] })).toBe(true);
    expect(isSameEviction({ atMs: 3, sources: [a] }, { atMs: 3, sources: [ofRule("a")] })).toBe(false);
    expect(isSameEviction({ atMs: 3, sources: [c] }, { atMs: 4, sources: [c] })).toBe(false);
    expect(isSameEviction(undefined, undefined)).toBe(false);
  });

  it("counts slices of the newest generation alone", () => {
    const pools = new Pools();
    const device = { driver: "d", pool: "p", device: "gpu-0" };
    const old = slice("old", 1, { "gpu-0": [taint], "gpu-1": [] });
    expect([...pools.change(undefined, old)]).toEqual(["gpu-0"]);
    expect(pools.taintsOf(device)).toHaveLength(1);
    const next = slice("new", 2, { "gpu-0": [] });
    expect([...pools.change(undefined, next)]).toEqual(["gpu-0"]);
    expect(pools.taintsOf(device)).toEqual([]);
    expect(pools.count(() => true)).toBe(1);
    expect([...pools.change(old, undefined)]).toEqual([]);
    expect([...pools.change(next, slice("new", 2, { "gpu-0": [{ ...taint, effect: "NoSchedule" }] }))]).toEqual([]);
    expect(pools.taintsOf({ ...device, pool: "other" })).toEqual([]);
  });
});
