// Compares a play on the embedded server with the recording of Go's manager in the same scenario.

import { compare } from "./compare.ts";
import { comparedIdentities } from "./identities.ts";
import type { Section } from "./items.ts";
import { normalise, tracesOf } from "./normalise.ts";
import type { Play } from "./play.ts";
import { hashOfSteps, partOf, readRecording } from "./recording.ts";
import { withEventsOnce } from "./repeated-events.ts";
import { listed } from "./report.ts";
import { type Scenario, withoutChance } from "./scenario.ts";

/** The differences as readable lines; empty without a recording. */
export function differencesFromRecording(scenario: Scenario, play: Play, tag: string): readonly string[] {
  const recording = readRecording(scenario);
  if (recording === undefined) return [];
  if (recording.steps !== hashOfSteps(scenario, play, tag)) {
    return ['the recording is stale: the steps or the settings have changed (make differential ARGS="--record …")'];
  }
  const identities = comparedIdentities(scenario);
  const traces = { ...tracesOf(play, tag), objects: [], events: [] };
  const part = (sections: Parameters<typeof partOf>[0]): readonly Section[] =>
    withEventsOnce(partOf(sections, identities), scenario);
  const differences = compare(part(recording.sections), part(normalise(traces)));
  return listed(withoutChance(differences, scenario), "go", "ours");
}
