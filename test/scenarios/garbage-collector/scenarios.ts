// The garbage collector, on objects that no other controller handles.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { custom } from "./custom.ts";
import { deletion } from "./deletion.ts";
import { propagation } from "./propagation.ts";
import { wrongOwners } from "./wrong-owners.ts";

export const scenarios: readonly Scenario[] = scenariosOf("garbage-collector-controller", { cast: "clean-up" }, [
  ...deletion,
  ...propagation,
  ...wrongOwners,
  ...custom,
]);
