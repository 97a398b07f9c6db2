// Job behaviour.

import { type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { failures } from "./failures.ts";
import { indexed } from "./indexed.ts";
import { ownership } from "./ownership.ts";
import { running } from "./running.ts";
import { scheduling } from "./scheduling.ts";

export const scenarios: readonly Scenario[] = scenariosOf("job-controller", { cast: "workloads" }, [
  ...running,
  ...failures,
  ...indexed,
  ...ownership,
  ...scheduling,
]);
