// Plays the scenarios of a controller on the embedded server, each twice: the same seed must give the same trace.

import { appendFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type SeenRequest, unexercised } from "#kit/contract.ts";
import type { AuditEvent } from "#test/real/audit-log.ts";
import { contractViolations, holderOf, readsNotNeeded, seenRequest } from "./contracts.ts";
import { type EmbeddedCluster, openEmbedded } from "./embedded.ts";
import { strangeReads } from "./informers.ts";
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
    const seen: SeenRequest[] = [];
    for (const scenario of scenarios.filter(({ realOnly }) => realOnly === undefined)) {
      it(scenario.name, async () => {
        const trace = await traceOf(scenario, (event) => seen.push(...seenRequest(event)));
        expect(trace.length).toBeGreaterThan(2); // the informers' requests at least
        expect(await traceOf(scenario)).toEqual(trace);
      });
    }
    it("needs every live read that its contract allows", () => {
      expect(readsNotNeeded(controller, seen)).toEqual([]);
    });
    it("lists accesses that its contract allows and no scenario needs", () => {
      const holder = holderOf(controller);
      if (holder !== undefined) tellUnexercised(controller, unexercised(holder, seen));
    });
  });
}

/** Records the accesses for the test runner, which prints them at its end. */
function tellUnexercised(controller: string, accesses: readonly string[]): void {
  const { STEERSMAN_UNEXERCISED: file } = process.env;
  if (file !== undefined && accesses.length > 0) appendFileSync(file, `${controller}: ${accesses.join(", ")}\n`);
}

/** Plays the scenario once; returns one line per request of the manager. */
async function traceOf(
  scenario: Scenario,
  onRequest: (event: AuditEvent) => void = () => undefined,
): Promise<readonly string[]> {
  const cluster = await openEmbedded(scenario);
  try {
    const play = new Play(scenario, cluster.backend);
    await play.run();
    expect(mistakes(cluster)).toEqual([]);
    const requests = cluster.allRequests();
    requests.forEach(onRequest);
    expect(contractViolations(scenario.cast, requests)).toEqual([]);
    expect(strangeReads(scenario.cast, scenario.profile, requests)).toEqual([]);
    expect(differencesFromRecording(scenario, play, cluster.backend.tag)).toEqual([]);
    return [...cluster.world.log.lines];
  } finally {
    await cluster.stop();
  }
}

/** Syncs that failed because of a mistake in our code: after a retry they could go unnoticed. */
function mistakes({ log }: EmbeddedCluster): readonly string[] {
  return log()
    .split("\n")
    .filter((line) => line.includes(" stack="));
}
