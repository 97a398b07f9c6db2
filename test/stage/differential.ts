// Plays scenarios on real control planes, with Go's manager and with ours. The plays with Go's manager prove the
// scenarios' checks. The writes, reads and Events of both managers are compared, phase by phase.
//   bun test/stage/differential.ts [--record] [--only=c|d] [--slow] [--long] [--results] [--seconds=<n>]
//     [controller, or part of a name …]
// --record plays Go's manager twice and records what both plays have in common. --only=c plays ours and compares it
// with the recordings; --only=d plays Go's. --seconds starts no more plays after this time; scenarios of changed
// controllers come first. --long plays, in real time, the scenarios that otherwise play in virtual time; this takes
// minutes or an hour, so CI never does it. --results records, for each controller whose scenarios were all compared,
// how many were the same: for docs/parity.md.

import { argv, exit, stdout } from "node:process";
import { builtinResources } from "#api/resource-table.ts";
import { errorMessage } from "#base/errors.ts";
import { eventually } from "#test/real/suite.ts";
import { sumTotals, type Totals, tellTotals } from "#tools/test-totals.ts";
import type { Cast } from "./casts.ts";
import { compare, type Difference } from "./compare.ts";
import { contractViolations } from "./contracts.ts";
import { finalObjects } from "./final-objects.ts";
import { qualifiedName } from "./held-watches.ts";
import { comparedIdentities, isTokenOf } from "./identities.ts";
import { informerItems, recordInformers, withoutEqual } from "./informers.ts";
import type { Item, Section } from "./items.ts";
import { normalise, tracesOf } from "./normalise.ts";
import { Play } from "./play.ts";
import type { Profile } from "./profiles.ts";
import { distinct, overallWriteItem } from "./reads.ts";
import { type RealCluster, startRealCluster } from "./real.ts";
import { differencesFromRecording } from "./recorded.ts";
import { hashOfSteps, isRecorded, partOf, writeRecording } from "./recording.ts";
import { withEventsOnce } from "./repeated-events.ts";
import { type Comparison, isSame, printed } from "./report.ts";
import { isWrite } from "./requests.ts";
import { type Compared, writeResults } from "./results.ts";
import { type Scenario, withoutChance } from "./scenario.ts";
import { findScenarios } from "./scenario-files.ts";
import { mostTellingFirst } from "./scenario-order.ts";

const PLAYS_AT_ONCE = 6;

const options = new Set(argv.slice(2).filter((argument) => argument.startsWith("--")));
const words = argv.slice(2).filter((argument) => !argument.startsWith("--"));

export interface Outcome {
  /** Why the play failed. */
  readonly error?: string;
  readonly sections: readonly Section[];
  readonly steps: string;
  /** The differences from the recording of Go's manager, as readable lines. */
  readonly fromRecording?: readonly string[];
}

/** All scenarios of a group with one manager. */
interface Run {
  /** By scenario name. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The writes that the manager makes for itself. */
  readonly ownWrites: readonly Item[];
  /** The requests of our manager that no contract allows. */
  readonly violations: readonly string[];
  /** The lists and watches of the informers. */
  readonly informers: readonly Item[];
}

/** No play starts after this time. */
const endMs = performance.now() + secondsGiven() * 1000;
const isDue = (): boolean => performance.now() < endMs;

function secondsGiven(): number {
  const given = [...options].find((option) => option.startsWith("--seconds="));
  return given === undefined ? Number.POSITIVE_INFINITY : Number(given.split("=")[1]);
}

interface Group {
  readonly cast: Cast;
  readonly profile: Profile;
  readonly scenarios: readonly Scenario[];
}

async function main(): Promise<number> {
  const found = await findScenarios(words);
  const played = found.filter(({ virtualOnly, slow }) =>
    isAskedFor("long") ? virtualOnly !== undefined : virtualOnly === undefined && (!slow || isAskedFor("slow")),
  );
  if (played.length === 0) throw new Error(`no scenario matches ${words.join(" ")}`);
  const totals: Totals[] = [];
  const compared: Compared[] = [];
  const ordered = endMs === Number.POSITIVE_INFINITY ? played : mostTellingFirst(played);
  for (const group of groupsOf(ordered)) totals.push(await playGroup(group, compared));
  if (isAskedFor("results")) writeResults(found, compared, new Date().toISOString().slice(0, 10));
  const total = sumTotals(totals);
  tellTotals(total);
  return total.failed === 0 ? 0 : 1;
}

function isAskedFor(option: string): boolean {
  return options.has(`--${option}`);
}

function groupsOf(scenarios: readonly Scenario[]): readonly Group[] {
  const groups = Map.groupBy(scenarios, ({ cast, profile }) => `${cast} ${profile}`);
  return [...groups.values()].map((members) => {
    const [{ cast, profile }] = members as [Scenario, ...Scenario[]];
    return { cast, profile, scenarios: members };
  });
}

async function playGroup(group: Group, compared: Compared[]): Promise<Totals> {
  if (!isDue()) return { passed: 0, failed: 0, skipped: group.scenarios.length };
  const playsOurs = !options.has("--only=d");
  const playsGo = !options.has("--only=c");
  const playAgain = async (): Promise<Run | undefined> => (isAskedFor("record") ? playAll(group, "go") : undefined);
  // Long plays mostly wait, so the repetition can run at the same time.
  const [go, ours, meanwhile] = await Promise.all([
    playsGo ? playAll(group, "go") : undefined,
    playsOurs ? playAll(group, "ours") : undefined,
    isAskedFor("long") ? playAgain() : undefined,
  ]);
  const again = meanwhile ?? (await playAgain());
  if (again !== undefined && go !== undefined) {
    recordInformers(group.cast, group.profile, [...go.informers, ...again.informers]);
  }
  const told: Comparison[] = [];
  const isPlayed = ({ name }: Scenario): boolean =>
    [go, ours, again].every((run) => run === undefined || run.outcomes.has(name));
  for (const scenario of group.scenarios.filter(isPlayed)) {
    const [d, c, d2] = [go, ours, again].map((run) => run?.outcomes.get(scenario.name));
    const errors = [
      ...(d?.error === undefined ? [] : [`with Go's manager: ${d.error}`]),
      ...(c?.error === undefined ? [] : [`with ours: ${c.error}`]),
      ...(d2?.error === undefined ? [] : [`with Go's manager again: ${d2.error}`]),
    ];
    const arePlayed = errors.length === 0;
    const identities = comparedIdentities(scenario);
    const fromGo = (other: Outcome | undefined): readonly Difference[] =>
      arePlayed && d && other ? compareParts(d.sections, other.sections, scenario) : [];
    const differences = withoutChance(fromGo(c), scenario);
    if (go === undefined) errors.push(...(c?.fromRecording ?? []).map((line) => `as recorded: ${line.trim()}`));
    const control = withoutChance(fromGo(d2), scenario);
    if (d !== undefined && d2 !== undefined && d.steps !== d2.steps) errors.push("two plays took different steps");
    const isRecorded = errors.length === 0 && d !== undefined && d2 !== undefined && control.length === 0;
    if (isRecorded) writeRecording(scenario, d.steps, partOf(d.sections, identities));
    const comparison = { name: scenario.name, errors, differences, control, isRecorded };
    told.push(comparison);
    if (d && c) compared.push({ scenario, isSame: isSame(comparison), differences: fromGo(c) });
  }
  if (go !== undefined && ours !== undefined) {
    const differences = strangeItems(group.cast, go, ours);
    told.push({ name: `${group.cast}: informers and the manager's own writes`, errors: [], differences, control: [] });
  }
  if (ours !== undefined) {
    const errors = ours.violations.map((violation) => `without a contract that allows it: ${violation}`);
    told.push({ name: `${group.cast}: requests within the contracts`, errors, differences: [], control: [] });
  }
  for (const comparison of told) stdout.write(printed(comparison));
  const passed = told.filter(isSame).length;
  const skipped = group.scenarios.filter((scenario) => !isPlayed(scenario)).length;
  return { passed, failed: told.length - passed, skipped };
}

/** Compares the requests of the compared identities, and all objects and Events. */
function compareParts(left: readonly Section[], right: readonly Section[], scenario: Scenario): readonly Difference[] {
  const identities = comparedIdentities(scenario);
  const compared = (sections: readonly Section[]): readonly Section[] => {
    const others = sections.filter((section) => !isRecorded(section));
    return withEventsOnce([...others, ...partOf(sections, identities)], scenario);
  };
  return compare(compared(left), compared(right));
}

/**
 * Our manager must not make a request that Go's does not make; Go's runs the whole cast. Requests for tokens are left
 * out: a controller requests its token when it first has work, which may be while the objects of a play are removed.
 */
function strangeItems(cast: Cast, go: Run, ours: Run): readonly Difference[] {
  const writes = withoutEqual(ours.ownWrites, go.ownWrites).filter(({ label }) => !isTokenOf(cast, label));
  const strange = [...withoutEqual(ours.informers, go.informers), ...writes];
  return strange.map(({ label, value }) => ({ where: label, left: undefined, right: value }));
}

async function playAll({ cast, profile, scenarios }: Group, manager: "go" | "ours"): Promise<Run> {
  const beganMs = performance.now();
  const cluster = await startRealCluster({ cast, profile, manager });
  try {
    const startedMs = performance.now();
    const outcomes = new Map<string, Outcome>();
    const together = scenarios.filter(({ alone }) => alone === undefined);
    const player = async (): Promise<void> => {
      for (let scenario = together.shift(); scenario !== undefined && isDue(); scenario = together.shift()) {
        outcomes.set(scenario.name, await playOne(cluster, scenario));
      }
    };
    await Promise.all(Array.from({ length: PLAYS_AT_ONCE }, player));
    for (const scenario of scenarios.filter(({ alone }) => alone)) {
      if (!isDue()) break;
      outcomes.set(scenario.name, await playOne(cluster, scenario));
    }
    await untilWatchedAgain(cluster);
    const rest = cluster.follower.takeRest();
    const violations = manager === "ours" ? contractViolations(cast, [...cluster.follower.all(), ...rest]) : [];
    const ownWrites = distinct(rest.filter(isWrite).map(overallWriteItem));
    const seconds = (ms: number): string => `${((performance.now() - ms) / 1000).toFixed(0)} s`;
    stdout.write(`${cast} ${profile}, ${manager}: ${scenarios.length} scenarios in ${seconds(startedMs)}, `);
    stdout.write(`${seconds(beganMs)} with the start\n`);
    return { outcomes, ownWrites, violations, informers: informerItems(rest) };
  } finally {
    await cluster.stop();
  }
}

async function playOne(cluster: RealCluster, scenario: Scenario): Promise<Outcome> {
  const { backend, close } = await cluster.open();
  const { tag } = backend;
  if (scenario.alone) cluster.follower.setAlone(tag);
  const play = new Play(scenario, backend);
  try {
    await play.run();
    const { objects, events } = await finalObjects(cluster.client, play, tag, comparedIdentities(scenario));
    return {
      sections: normalise({ ...tracesOf(play, tag), objects, events }),
      steps: hashOfSteps(scenario, play, tag),
      fromRecording: differencesFromRecording(scenario, play, tag),
    };
  } catch (error) {
    return { error: errorMessage(error), sections: [], steps: "" };
  } finally {
    if (scenario.alone) cluster.follower.setAlone(undefined);
    await close(play);
  }
}

/**
 * Ends all watches once, so that each run shows how watches are resumed. Otherwise only some watches would end, by
 * chance.
 */
async function untilWatchedAgain({ proxy }: RealCluster): Promise<void> {
  // The kinds that plays defined are deleted with them.
  const lasting = new Set(builtinResources().map(qualifiedName));
  const before = proxy.watched().filter((resource) => lasting.has(resource));
  proxy.endWatches();
  await eventually(() => before.every((resource) => proxy.watched().includes(resource)) || undefined);
}

exit(await main());
