// How the scenarios of all controllers use a cluster that they share.

import { expect, it } from "vitest";
import { findScenarios } from "./scenario-files.ts";

/** A play alone waits for all others: each one makes a comparison with Go's manager longer. */
const ALONE_MAX = 60;

it("at most 60 scenarios play alone; the others share a cluster", async () => {
  const alone = (await findScenarios([])).filter((scenario) => scenario.alone);
  expect(alone.length).toBeGreaterThan(0);
  expect(alone.map(({ name }) => name).slice(ALONE_MAX)).toEqual([]);
});
