// Volumes are attached to the nodes of their pods. The scenario acts as the CSI driver and the kubelets.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { attaching } from "./attaching.ts";
import { detaching } from "./detaching.ts";

export const scenarios: readonly Scenario[] = scenariosOf(
  "persistentvolume-attach-detach-controller",
  { cast: "storage" },
  [...attaching, ...detaching],
);
