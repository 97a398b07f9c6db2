// Pods whose devices are tainted have to go.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { rules } from "./rules.ts";
import { taintedSlices } from "./tainted-slices.ts";

export const scenarios: readonly Scenario[] = scenariosOf("device-taint-eviction-controller", { cast: "nodes" }, [
  ...taintedSlices,
  ...rules,
]);
