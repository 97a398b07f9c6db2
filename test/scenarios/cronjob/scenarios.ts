// CronJob behaviour.

import { type Excuse, type Scenario, scenariosOf } from "#test/stage/scenario.ts";
import { following } from "./following.ts";
import { starting } from "./starting.ts";

/** Go watches both resources separately, so it may see them in either order. */
const liveReads: Excuse = {
  where: /reads of phase \d+ › get .*\/(cronjobs\/tick|jobs\/running)/,
  reason: "the CronJob or the Job is read live where one cache is behind the other",
};

export const scenarios: readonly Scenario[] = scenariosOf(
  "cronjob-controller",
  { cast: "workloads" },
  [...starting, ...following].map((text) => ({ ...text, chance: [...(text.chance ?? []), liveReads] })),
);
