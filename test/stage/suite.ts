// Plays the scenarios of a controller on the embedded server, each twice: the same seed must leave the same trace.

import { describe, expect, it } from "vitest";
import { type EmbeddedCluster, openEmbedded } from "./embedded.ts";
import { Play } from "./play.ts";
import { differencesFromRecording } from "./recorded.ts";
import { orphanedRecordings } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

export function playScenarios(scenarios: readonly Scenario[]): void {
  const [{ controller } = { controller: "nothing" }] = scenarios;
  describe(`${controller} on the embedded server`, () => {
    it("has no recording of a scenario that is gone", () => {
      expect(orphanedRecordings(scenarios)).toEqual([]);
    });
    for (const scenario of scenarios.filter(({ realOnly }) => realOnly === undefined)) {
      it(scenario.name, async () => {
        const trace = await traceOf(scenario);
        expect(trace.length).toBeGreaterThan(2); // at least its informers have asked
        expect(await traceOf(scenario)).toEqual(trace);
      });
    }
  });
}

/** Plays it once: one line per request of the manager. */
async function traceOf(scenario: Scenario): Promise<readonly string[]> {
  const cluster = await openEmbedded(scenario);
  try {
    const play = new Play(scenario, cluster.backend);
    await play.run();
    expect(mistakes(cluster)).toEqual([]);
    expect(differencesFromRecording(scenario, play, cluster.backend.tag)).toEqual([]);
    return [...cluster.world.log.lines];
  } finally {
    await cluster.stop();
  }
}

/** Syncs that failed by a mistake in our own code: retried, they could go unnoticed. */
function mistakes({ log }: EmbeddedCluster): readonly string[] {
  return log()
    .split("\n")
    .filter((line) => line.includes(" stack="));
}
