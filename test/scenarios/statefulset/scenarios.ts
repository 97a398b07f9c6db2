// StatefulSet behaviour.

import type { Scenario } from "#test/stage/scenario.ts";
import { scenariosOf } from "#test/stage/scenario.ts";
import { claims } from "./claims.ts";
import { scaling } from "./scaling.ts";
import { updates } from "./updates.ts";

export const scenarios: readonly Scenario[] = scenariosOf("statefulset-controller", { cast: "workloads" }, [
  ...scaling,
  ...updates,
  ...claims,
]);
