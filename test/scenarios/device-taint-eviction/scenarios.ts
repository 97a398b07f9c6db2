// Pods whose devices are tainted are evicted.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { rules } from "./rules.ts";
import { taintedSlices } from "./tainted-slices.ts";

export const scenarios: readonly Scenario[] = scenariosOf("device-taint-eviction-controller", { cast: "nodes" }, [
  ...taintedSlices,
  ...rules,
]);
