// Plays a list of scenarios on the embedded server, each twice: the same seed must leave the same trace.

import { expect, it } from "vitest";
import { type EmbeddedStageOptions, embeddedStage } from "./embedded-stage.ts";
import type { OutageStage, Scenario } from "./stage.ts";

/** Published and copied, never read: any PEM will do. */
const ROOT_CA = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

export function playEmbedded(controllers: readonly string[], scenarios: readonly Scenario<OutageStage>[]): void {
  for (const scenario of scenarios) {
    it(scenario.name, async () => {
      const trace = await traceOf({ controllers }, scenario);
      expect(trace.length).toBeGreaterThan(2); // at least its informers have asked
      expect(await traceOf({ controllers }, scenario)).toEqual(trace);
    });
  }
}

/** Syncs that failed by a mistake in our own code: retried, they could go unnoticed. */
function mistakes(log: string): string[] {
  return log.split("\n").filter((line) => line.includes(" stack="));
}

/** Plays it once, under the seed that is its name. */
export async function traceOf(
  options: EmbeddedStageOptions,
  scenario: Scenario<OutageStage>,
): Promise<readonly string[]> {
  const stage = await embeddedStage({ seed: scenario.name, rootCa: ROOT_CA, ...options });
  try {
    await scenario.play(stage);
    expect(mistakes(stage.log())).toEqual([]);
    return [...stage.world.log.lines];
  } finally {
    await stage.stop();
  }
}
