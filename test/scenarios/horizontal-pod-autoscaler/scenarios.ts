// The horizontal pod autoscaler: what its metrics say, how far it follows them, and what it tells when it cannot.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { limits } from "./limits.ts";
import { metrics } from "./metrics.ts";
import { REPEATED } from "./objects.ts";
import { targets } from "./targets.ts";

export const scenarios: readonly Scenario[] = scenariosOf(
  "horizontal-pod-autoscaler-controller",
  { cast: "workloads", profile: "quick", polls: true },
  [...metrics, ...targets, ...limits].map((scenario) => ({ chance: REPEATED, ...scenario })),
);
