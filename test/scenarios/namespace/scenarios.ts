// Deleted namespaces.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { content } from "./content.ts";
import { discovery } from "./discovery.ts";

export const scenarios: readonly Scenario[] = scenariosOf("namespace-controller", { cast: "clean-up" }, [
  ...content,
  ...discovery,
]);
