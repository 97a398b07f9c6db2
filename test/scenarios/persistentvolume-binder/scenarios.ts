// Claims and volumes are bound to each other, volumes are provisioned and reclaimed.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { bindingScenarios } from "./binding.ts";
import { boundScenarios } from "./bound.ts";
import { provisioningScenarios } from "./provisioning.ts";
import { reclaimScenarios } from "./reclaim.ts";

/** A write starts from the cached object, which has no managedFields, or from the answer to the previous write. */
const MANAGED_FIELDS = {
  where: /\.metadata\.managedFields$/,
  reason: "the binder's memory has the cached object or the answer to its last write, whichever came last",
};

const texts = [...bindingScenarios, ...boundScenarios, ...provisioningScenarios, ...reclaimScenarios];

export const scenarios: readonly Scenario[] = scenariosOf(
  "persistentvolume-binder-controller",
  { cast: "storage", profile: "no-reminders" },
  texts.map((text) => ({ ...text, chance: [...(text.chance ?? []), MANAGED_FIELDS] })),
);
