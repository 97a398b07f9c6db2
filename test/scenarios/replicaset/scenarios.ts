// ReplicaSet behaviour.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { replicaCases } from "../replicas/cases.ts";
import { replicaSets } from "../replicas/subject.ts";
import { endings } from "./endings.ts";
import { ownership } from "./ownership.ts";
import { refusals } from "./refusals.ts";
import { scaling } from "./scaling.ts";
import { statuses } from "./statuses.ts";

export const scenarios: readonly Scenario[] = scenariosOf("replicaset-controller", { cast: "workloads" }, [
  ...scaling,
  ...ownership,
  ...statuses,
  ...refusals,
  ...endings,
  ...replicaCases(replicaSets),
]);
