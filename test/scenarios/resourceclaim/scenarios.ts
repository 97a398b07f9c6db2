// Pods get claims from templates, and claims are deallocated when nothing uses them.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { creation } from "./creation.ts";
import { podGroups } from "./pod-groups.ts";
import { release } from "./release.ts";

export const scenarios: readonly Scenario[] = scenariosOf("resourceclaim-controller", { cast: "nodes" }, [
  ...creation,
  ...release,
  ...podGroups,
]);
