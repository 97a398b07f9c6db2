// Claims and volumes are bound to each other, volumes are provisioned and reclaimed.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { bindingScenarios } from "./binding.ts";
import { boundScenarios } from "./bound.ts";
import { provisioningScenarios } from "./provisioning.ts";
import { reclaimScenarios } from "./reclaim.ts";

export const scenarios: readonly Scenario[] = scenariosOf(
  "persistentvolume-binder-controller",
  { cast: "storage", profile: "no-reminders" },
  [...bindingScenarios, ...boundScenarios, ...provisioningScenarios, ...reclaimScenarios],
);
