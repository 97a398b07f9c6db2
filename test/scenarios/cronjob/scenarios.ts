// CronJob behaviour.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { following } from "./following.ts";
import { starting } from "./starting.ts";

export const scenarios: readonly Scenario[] = scenariosOf("cronjob-controller", { cast: "workloads" }, [
  ...starting,
  ...following,
]);
