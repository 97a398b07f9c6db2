// The EndpointSlices of Services that select pods.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { endpoints } from "./endpoints.ts";
import { hints } from "./hints.ts";
import { lives } from "./lives.ts";
import { packing } from "./packing.ts";

export const scenarios: readonly Scenario[] = scenariosOf("endpointslice-controller", { cast: "network" }, [
  ...endpoints,
  ...packing,
  ...lives,
  ...hints,
]);
