// A taint that may evict pods, with its source: a device of a slice, or a rule.
// Upstream: pkg/controller/devicetainteviction/device_taint_eviction.go, trackedTaint, evictionAndReason;
// k8s.io/dynamic-resource-allocation/resourceclaim, ToleratesTaint.

import type { DeviceTaint, DeviceToleration, ResourceSlice } from "#api/generated/types/resource-v1.ts";
import type { DeviceTaintRule } from "#api/generated/types/resource-v1beta2.ts";
import { compareInt64, wrappedSecondsMs } from "#api/int64.ts";
import type { StoredCluster } from "#api/resource.ts";
import { timeOrUndefined } from "#api/time.ts";
import type { EpochMs } from "#base/clock.ts";
import { compareText } from "#kit/order.ts";

export type Slice = StoredCluster<ResourceSlice>;
export type Rule = StoredCluster<DeviceTaintRule>;

export const NO_EXECUTE = "NoExecute";

export type TaintSource =
  | { readonly kind: "rule"; readonly rule: Rule; readonly taint: DeviceTaint }
  | {
      readonly kind: "slice";
      readonly slice: Slice;
      readonly device: string;
      /** The position of the taint in the list of its device. */
      readonly index: number;
      readonly taint: DeviceTaint;
    };

/** When pods must be evicted, and all taints that require it. */
export interface Eviction {
  readonly atMs: EpochMs;
  /** In order, each once. */
  readonly sources: readonly TaintSource[];
}

/** Rules first, by name; then slices by driver, pool, device and position. */
export function compareSources(a: TaintSource, b: TaintSource): number {
  if (a.kind === "rule" || b.kind === "rule") {
    if (a.kind !== b.kind) return a.kind === "rule" ? -1 : 1;
    return a.kind === "rule" && b.kind === "rule" ? compareText(a.rule.metadata.name, b.rule.metadata.name) : 0;
  }
  return (
    compareText(a.slice.spec.driver, b.slice.spec.driver) ||
    compareText(a.slice.spec.pool.name, b.slice.spec.pool.name) ||
    compareText(a.device, b.device) ||
    a.index - b.index
  );
}

/** The same taint of the same version of its object. */
function isSameSource(a: TaintSource, b: TaintSource): boolean {
  if (a.kind === "rule" || b.kind === "rule") return a.kind === "rule" && b.kind === "rule" && a.rule === b.rule;
  return a.slice === b.slice && a.device === b.device && a.index === b.index;
}

/** As upstream, undefined does not equal undefined: claims without taints are checked once more. */
export function isSameEviction(a: Eviction | undefined, b: Eviction | undefined): boolean {
  if (a === undefined || b === undefined || a.atMs !== b.atMs || a.sources.length !== b.sources.length) return false;
  return a.sources.every((source, i) => isSameSource(source, b.sources[i] as TaintSource));
}

/** The sources of two claims of a pod, at the earlier time. */
export function joinEvictions(a: Eviction | undefined, b: Eviction | undefined): Eviction | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const sources = [...b.sources];
  for (const source of a.sources) {
    if (!sources.some((other) => compareSources(source, other) === 0)) sources.push(source);
  }
  return { atMs: Math.min(a.atMs, b.atMs), sources: sources.sort(compareSources) };
}

/** When the taint evicts the pods of a device with these tolerations; undefined when it is tolerated for ever. */
export function evictionTime(taint: DeviceTaint, tolerations: readonly DeviceToleration[]): EpochMs | undefined {
  const addedMs = timeOrUndefined(taint.timeAdded);
  if (addedMs === undefined) return undefined;
  // An empty effect tolerates nothing here.
  const matching = tolerations.filter((toleration) => toleration.effect === NO_EXECUTE && tolerates(toleration, taint));
  if (matching.length === 0) return addedMs;
  if (matching.some(({ tolerationSeconds }) => tolerationSeconds === undefined)) return undefined;
  const [shortest = 0] = matching.map(({ tolerationSeconds = 0 }) => tolerationSeconds).sort(compareInt64);
  return shortest < 0 ? addedMs : addedMs + wrappedSecondsMs(shortest);
}

export function tolerates({ effect, key, operator, value }: DeviceToleration, taint: DeviceTaint): boolean {
  if ((effect ?? "") !== "" && effect !== taint.effect) return false;
  if ((key ?? "") !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return ((operator ?? "") === "" || operator === "Equal") && (value ?? "") === (taint.value ?? "");
}

export interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
}

/** Each field of the selector that is set must match. Without a selector a rule matches nothing. */
export function selects(
  { spec: { deviceSelector } }: DeviceTaintRule,
  { driver, pool, device }: AllocatedDevice,
): boolean {
  if (deviceSelector === undefined || deviceSelector === null) return false;
  const matches = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value;
  return (
    matches(deviceSelector.driver, driver) &&
    matches(deviceSelector.pool, pool) &&
    matches(deviceSelector.device, device)
  );
}
