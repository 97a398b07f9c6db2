// What Deployments must do.

import { type Excuse, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { recoveries } from "./recoveries.ts";
import { rollouts } from "./rollouts.ts";

const chance: readonly Excuse[] = [
  {
    where: /deployments web › .*conditions\.\d+\.(reason|message|lastUpdateTime)/,
    reason: "whether a status is written between the creation of a ReplicaSet and its first pods depends on a conflict",
  },
  {
    where: /deployments web › .*metadata\.finalizers/,
    reason: "the garbage collector removes the finalizer orphan meanwhile",
  },
  {
    where: /reads of phase \d+ › list .*\/replicasets/,
    reason: "when a pod of a Recreate Deployment is deleted, ReplicaSets are read from the cache (see Deviations)",
  },
  {
    where: /deployment-controller: \{play\} replicasets web-\w+ › \d+$/,
    reason: "a create that meets its own name is repeated until the cache shows the new collision count",
  },
];

export const scenarios: readonly Scenario[] = scenariosOf(
  "deployment-controller",
  { cast: "workloads" },
  [...rollouts, ...recoveries].map((scenario) => ({ chance, ...scenario })),
);
