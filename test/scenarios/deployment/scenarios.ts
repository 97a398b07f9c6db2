// What Deployments must do.

import type { Scenario } from "#test/stage/scenario.ts";
import { scenariosOf } from "#test/stage/scenario.ts";
import { recoveries } from "./recoveries.ts";
import { rollouts } from "./rollouts.ts";

export const scenarios: readonly Scenario[] = scenariosOf("deployment-controller", { cast: "workloads" }, [
  ...rollouts,
  ...recoveries,
]);
