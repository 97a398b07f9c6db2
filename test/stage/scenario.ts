// A scenario: one behaviour, written once and played on every stage. The stages differ in the API server, in the clock
// and in the program that runs the controllers; Stage hides the difference.

import type { Cast } from "./casts.ts";
import type { Profile } from "./profiles.ts";
import type { Stage } from "./stage.ts";

/** What the author of a scenario writes. */
export interface ScenarioText {
  /** Begins with the parity ids that it shows: "replicaset/7, replicaset/8 counts pods". */
  readonly name: string;
  /** Settings; "default" unless given. */
  readonly profile?: Profile;
  /** The behaviour depends on the whole cluster: nothing else plays at the same time. */
  readonly alone?: true;
  /** It waits up to 90 s of real time: recorded, but not played in CI on a real control plane. */
  readonly slow?: true;
  /** Why it is not played on a real control plane. */
  readonly virtualOnly?: string;
  /** The vectors from upstream's code ("cleaner": test/vectors/cleaner.json) that show the same in virtual time. */
  readonly confirmedBy?: string;
  /** When the virtual clock begins, of a scenario that plays in virtual time alone. */
  readonly startsAt?: string;
  /** Controllers of the cast whose requests are compared with Go's besides those of the scenario's own controller. */
  readonly alsoCompared?: readonly string[];
  /** The controller reads on a timer: how often it reads the same in a phase is not compared. */
  readonly polls?: true;
  /** Why the controller repeats Events: that it tells each is compared, how often is not. */
  readonly repeatsEvents?: string;
  /** What the embedded server does not do yet, for want of which it is played on real control planes alone. */
  readonly realOnly?: string;
  /** Where two runs of Go differ, each with its reason: these places are not compared. */
  readonly chance?: readonly Excuse[];
  /** Where a manager that dies may leave something else behind than one that does not, each with its reason. */
  readonly exceptions?: readonly Excuse[];
  play(stage: Stage): Promise<void>;
}

export interface Scenario extends ScenarioText {
  /** The controller whose behaviour it shows: "replicaset-controller". */
  readonly controller: string;
  readonly cast: Cast;
  readonly profile: Profile;
}

/**
 * A difference that may be there. The reason of one that a fault makes is the line upstream that does the same, or a run
 * of Go's manager killed at the same write.
 */
export interface Excuse {
  /** Held against the place of the difference: "writes of phase 1 › … › 0.body.spec", "creates and deletes › …". */
  readonly where: RegExp;
  /** Held against the texts on both sides: any other value is a difference. Unless given, values do not matter. */
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

/** What a scenario does not leave to chance. */
export function withoutChance<D extends Differing>(differences: readonly D[], { chance = [] }: Scenario): readonly D[] {
  return differences.filter((difference) => !chance.some((excuse) => isExcused(difference, excuse)));
}

/** The scenarios of one controller, with what they share. */
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

/** The same Event is told again and again: that it is told, and what it says, is compared, how often is not. */
export function oftenTold(reason: string): Excuse {
  return { where: /^events › .* › count$|^writes of Events › .* › [1-9]\d*$/, reason };
}

export const RETRIED: Excuse = oftenTold("how often the sync is retried in a phase depends on the machine");

/**
 * For stage.untilRefused: the back-off of a key doubles from 5 ms, so after these failures the next try is 5 s away and
 * the phase ends before it.
 */
export const REFUSALS = 11;

/** For stage.outage: so long that every watch has been refused at least once. */
export const AWAY_MS = 1000;
