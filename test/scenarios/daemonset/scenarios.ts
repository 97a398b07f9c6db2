// DaemonSet behaviour.

import type { Scenario } from "#test/stage/scenario.ts";
import { scenariosOf } from "#test/stage/scenario.ts";
import { placement } from "./placement.ts";
import { updates } from "./updates.ts";

export const scenarios: readonly Scenario[] = scenariosOf("daemonset-controller", { cast: "workloads" }, [
  ...placement,
  ...updates,
]);
