// How long a pod may stay on a node with these taints.
// Upstream: pkg/controller/tainteviction/taint_eviction.go, getMinTolerationTime; GetMatchingTolerations.

import type { Taint, Toleration } from "#api/generated/types/core-v1.ts";
import { type Int64, wrappedSecondsMs } from "#api/int64.ts";
import { tolerates } from "#rules/toleration.ts";

/**
 * For each taint the first matching toleration counts; of these the shortest time. Infinity: for ever. Undefined: a
 * taint is not tolerated.
 */
export function toleratedMs(
  taints: readonly Taint[],
  tolerations: readonly Toleration[],
  comparesIntegers: boolean,
): number | undefined {
  const used = taints.map((taint) => tolerations.find((toleration) => tolerates(toleration, taint, comparesIntegers)));
  if (used.includes(undefined)) return undefined;
  let shortest: Int64 | undefined;
  for (const toleration of used) {
    const seconds = toleration?.tolerationSeconds;
    if (seconds === undefined) continue;
    if (seconds <= 0) return 0;
    if (shortest === undefined || seconds < shortest) shortest = seconds;
  }
  if (shortest === undefined) return Number.POSITIVE_INFINITY;
  const ms = wrappedSecondsMs(shortest);
  return ms < 0 ? Number.POSITIVE_INFINITY : ms;
}

export function noExecuteTaints(taints: readonly Taint[] = []): readonly Taint[] {
  return taints.filter(({ effect }) => effect === "NoExecute");
}
