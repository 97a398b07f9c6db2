// The disruption controller: the pods that budgets count and protect, and announced disruptions.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { counting } from "./counting.ts";
import { evictions } from "./evictions.ts";

export const scenarios: readonly Scenario[] = scenariosOf(
  "disruption-controller",
  { cast: "workloads", repeatsEvents: "each sync tells what it finds" },
  [...counting, ...evictions],
);
