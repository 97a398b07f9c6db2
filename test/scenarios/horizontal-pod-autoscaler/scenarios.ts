// The horizontal pod autoscaler: its metrics, its limits, and its reports of failures.

import { type Excuse, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { limits } from "./limits.ts";
import { metrics } from "./metrics.ts";
import { targets } from "./targets.ts";

/** The sync after a write may read a cache without it. */
const conflicts: Excuse = {
  where: /(^events ›|events \w+\.\{\?\}) FailedUpdateStatus/,
  reason: "whether the cache has the autoscaler's last status when it looks again",
};

export const scenarios: readonly Scenario[] = scenariosOf(
  "horizontal-pod-autoscaler-controller",
  { cast: "workloads", profile: "quick", polls: true, repeatsEvents: "each look repeats what it tells" },
  [...metrics, ...targets, ...limits].map((text) => ({ ...text, chance: [...(text.chance ?? []), conflicts] })),
);
