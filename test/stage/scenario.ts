// A scenario: one behaviour, written once and played on every stage. The stages differ in the API server, in the clock
// and in the program that runs the controllers; Stage hides the difference.

import type { Cast } from "./casts.ts";
import type { Profile } from "./profiles.ts";
import type { Stage } from "./stage.ts";

/** The parts of a scenario that its author writes. */
export interface ScenarioText {
  /** Starts with the parity ids that the scenario shows: "replicaset/7, replicaset/8 counts pods". */
  readonly name: string;
  /** The settings; "default" unless given. */
  readonly profile?: Profile;
  /** The behaviour depends on the whole cluster: no other scenario plays at the same time. */
  readonly alone?: true;
  /** The scenario waits up to 90 s of real time. It is recorded, but CI does not play it on a real control plane. */
  readonly slow?: true;
  /** Why the scenario does not play on a real control plane. */
  readonly virtualOnly?: string;
  /**
   * The vectors from upstream's code ("cleaner": test/vectors/cleaner.json) that show the same behaviour in virtual
   * time.
   */
  readonly confirmedBy?: string;
  /** The start of the virtual clock, for scenarios that play in virtual time only. */
  readonly startsAt?: string;
  /** Controllers of the cast whose requests are compared with Go's, in addition to the scenario's controller. */
  readonly alsoCompared?: readonly string[];
  /** The controller reads on a timer: the number of equal reads in a phase is not compared. */
  readonly polls?: true;
  /** Why the controller repeats Events: which Events it sends is compared, how often is not. */
  readonly repeatsEvents?: string;
  /** The missing feature of the embedded server because of which the scenario plays on real control planes only. */
  readonly realOnly?: string;
  /** Places where two runs of Go differ, each with its reason. They are not compared. */
  readonly chance?: readonly Excuse[];
  /** Places where a manager that dies may leave a different state behind, each with its reason. */
  readonly exceptions?: readonly Excuse[];
  play(stage: Stage): Promise<void>;
}

export interface Scenario extends ScenarioText {
  /** The controller whose behaviour the scenario shows: "replicaset-controller". */
  readonly controller: string;
  readonly cast: Cast;
  readonly profile: Profile;
}

/**
 * A difference that is allowed. If a fault causes it, the reason names the upstream line that does the same, or a run
 * of Go's manager that was killed at the same write.
 */
export interface Excuse {
  /** Matches the place of the difference: "writes of phase 1 › … › 0.body.spec", "creates and deletes › …". */
  readonly where: RegExp;
  /** Matches the texts on both sides; without a match it is a difference. Unless given, any value is allowed. */
  readonly texts?: RegExp;
  readonly reason: string;
}

interface Differing {
  readonly where: string;
  readonly left?: unknown;
  readonly right?: unknown;
}

export function isExcused({ where, left, right }: Differing, excuse: Excuse): boolean {
  const { texts } = excuse;
  return excuse.where.test(where) && (texts === undefined || [left, right].every((text) => texts.test(String(text))));
}

/** The differences that the scenario does not leave to chance. */
export function withoutChance<D extends Differing>(differences: readonly D[], { chance = [] }: Scenario): readonly D[] {
  return differences.filter((difference) => !chance.some((excuse) => isExcused(difference, excuse)));
}

/** The scenarios of one controller, with their common settings. */
export function scenariosOf(
  controller: string,
  common: {
    readonly cast: Cast;
    readonly profile?: Profile;
    readonly alsoCompared?: readonly string[];
    readonly polls?: true;
    readonly repeatsEvents?: string;
  },
  texts: readonly ScenarioText[],
): readonly Scenario[] {
  const names = new Set<string>();
  return texts.map((text) => {
    if (names.has(text.name)) throw new Error(`two scenarios are called "${text.name}"`);
    names.add(text.name);
    return { profile: "default", ...common, controller, ...text };
  });
}

/** The same Event is sent repeatedly: its presence and text are compared, the count is not. */
export function oftenTold(reason: string): Excuse {
  return { where: /^events › .* › count$|^writes of Events › .* › [1-9]\d*$/, reason };
}

export const RETRIED: Excuse = oftenTold("how often the sync is retried in a phase depends on the machine");

/**
 * For stage.untilRefused. The back-off of a key doubles from 5 ms, so after these failures the next attempt is 5 s away
 * and the phase ends before it.
 */
export const REFUSALS = 11;

/** For stage.outage: long enough for every watch to be refused at least once. */
export const AWAY_MS = 1000;
