// Deployment behaviour.

import { type Excuse, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { recoveries } from "./recoveries.ts";
import { rollouts } from "./rollouts.ts";

const progress: Excuse = {
  where: /deployments web › .*conditions\.\d+\.(reason|message)$/,
  texts: /^(NewReplicaSetCreated|ReplicaSetUpdated|Created new replica set .*|ReplicaSet .* is progressing\.)$/,
  reason: "whether a status is written between the creation of a ReplicaSet and its first pods depends on a conflict",
};

export const scenarios: readonly Scenario[] = scenariosOf(
  "deployment-controller",
  { cast: "workloads" },
  [...rollouts, ...recoveries].map((text) => ({ ...text, chance: [...(text.chance ?? []), progress] })),
);
