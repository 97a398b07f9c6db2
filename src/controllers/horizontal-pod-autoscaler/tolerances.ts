// The tolerances of an autoscaler. Upstream: pkg/controller/podautoscaler/horizontal.go, tolerancesForHpa.

import type { HorizontalPodAutoscalerBehavior } from "#api/generated/types/autoscaling-v2.ts";
import { quantityFromWire } from "#api/quantity-parser.ts";
import type { Tolerances } from "./replica-count.ts";

/** isConfigurable: the gate HPAConfigurableTolerance; without it only the flag counts. */
export function tolerancesOf(
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  flag: number,
  isConfigurable: boolean,
): Tolerances {
  const read = (given: string | undefined): number =>
    given === undefined || !isConfigurable ? flag : quantityFromWire(given).asApproximateFloat();
  return { down: read(behavior?.scaleDown?.tolerance), up: read(behavior?.scaleUp?.tolerance) };
}
