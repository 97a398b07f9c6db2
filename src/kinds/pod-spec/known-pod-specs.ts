// Pod specs that were found to be in order, so that the next pod of the same template need not be checked again: a
// comparison costs a tenth of the rules. Names of token volumes, which admission draws for every pod, may differ.
// Only what depends on nothing but spec and annotations is answered from here. The pods of a template also share what
// their specs have in common: a store of many then has few objects for the collector to look at.

import type * as core from "#api/generated/types/core-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { RecentMap } from "#base/recent-map.ts";

/** Templates whose pods are written at about the same time. */
const SPECS_MAX = 256;

type Annotations = Readonly<Record<string, string>> | undefined;

export interface KnownPodSpec {
  readonly spec: core.PodSpec;
  readonly annotations: Annotations;
  /** Undefined: not known yet. */
  qosClass: string | undefined;
  /** It earns no warnings. Undefined: not known yet. */
  isUnwarned: boolean | undefined;
}

export interface FoundSpec {
  readonly known: KnownPodSpec;
  readonly spec: core.PodSpec;
}

export class KnownPodSpecs {
  readonly #known = new RecentMap<string, KnownPodSpec>(SPECS_MAX);
  /** The spec that was looked up last, itself: the steps of one write ask for the same. */
  #current: FoundSpec | undefined;

  /** What is known of a pod's spec, and the spec made of known parts. */
  find({ spec, metadata }: core.Pod): FoundSpec | undefined {
    const known = spec && this.#known.get(clueOf(spec));
    if (spec === undefined || known === undefined) return undefined;
    const united = unite(known.spec, spec);
    if (united === undefined || !isSame(known.annotations ?? {}, metadata?.annotations ?? {})) return undefined;
    this.#current = { spec: united, known };
    return this.#current;
  }

  /** As found before, or added, for this very spec. */
  current({ spec, metadata }: core.Pod): KnownPodSpec | undefined {
    if (spec === undefined || this.#current?.spec !== spec) return undefined;
    const { known } = this.#current;
    return isSame(known.annotations ?? {}, metadata?.annotations ?? {}) ? known : undefined;
  }

  /** A prepared pod whose spec and annotations have no fault. Preparing it once more would change nothing. */
  add({ spec, metadata }: core.Pod): void {
    if (spec === undefined || dependsOnMore(spec)) return;
    const known = { spec, annotations: metadata?.annotations, qosClass: undefined, isUnwarned: undefined };
    this.#known.set(clueOf(spec), known);
    this.#current = { spec, known };
  }
}

const byGates = new WeakMap<FeatureGateReader, KnownPodSpecs>();

/** Gates are settled before anything is served. */
export function knownPodSpecs(gates: FeatureGateReader): KnownPodSpecs {
  let known = byGates.get(gates);
  if (known === undefined) {
    known = new KnownPodSpecs();
    byGates.set(gates, known);
  }
  return known;
}

/** What tells templates apart most often; of those with the same clue the last is known. */
function clueOf({ containers, serviceAccountName }: core.PodSpec): string {
  const [first] = containers ?? [];
  return `${first?.image} ${first?.name} ${serviceAccountName} ${containers?.length}`;
}

/** On the pod's name (claims of its own), on its labels (label keys), or on the time (conditions). */
function dependsOnMore({ volumes, affinity, topologySpreadConstraints, schedulingGates }: core.PodSpec): boolean {
  if (affinity?.podAffinity || affinity?.podAntiAffinity || topologySpreadConstraints || schedulingGates) return true;
  return volumes?.some(({ ephemeral }) => ephemeral !== undefined) ?? false;
}

const TOKEN_VOLUME = "kube-api-access-";
const TOKEN_VOLUME_LENGTH = TOKEN_VOLUME.length + 5;

/** Drawn by admission: a prefix and five letters that any name may have. */
const isTokenVolume = (name: string): boolean =>
  name.length === TOKEN_VOLUME_LENGTH && name.startsWith(TOKEN_VOLUME) && /^[a-z0-9]{5}$/.test(name.slice(-5));

/** Equal but for the name of one token volume, which stands for the same thing wherever it occurs. */
export function isSame(a: unknown, b: unknown): boolean {
  return new Comparison().unite(a, b) !== DIFFERENT;
}

/** The second made of parts of the first, which it is the same as; undefined when it is not. */
export function unite<T>(a: T, b: T): T | undefined {
  const united = new Comparison().unite(a, b);
  return united === DIFFERENT ? undefined : (united as T);
}

const DIFFERENT = Symbol("different");

class Comparison {
  #first: string | undefined;
  #second: string | undefined;

  unite(a: unknown, b: unknown): unknown {
    if (typeof a === "string") return this.#isSameText(a, b) ? b : DIFFERENT;
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b ? a : DIFFERENT;
    if (Array.isArray(a)) return Array.isArray(b) ? this.#uniteElements(a, b) : DIFFERENT;
    if (Array.isArray(b)) return DIFFERENT;
    return this.#uniteFields(a as Record<string, unknown>, b as Record<string, unknown>);
  }

  #isSameText(a: string, b: unknown): boolean {
    if (a === b) return !isTokenVolume(a) || this.#isPair(a, a);
    return typeof b === "string" && isTokenVolume(a) && isTokenVolume(b) && this.#isPair(a, b);
  }

  /** One name for one: two that become the same, or one that becomes two, are another spec. */
  #isPair(a: string, b: string): boolean {
    if (this.#first === undefined) [this.#first, this.#second] = [a, b];
    return this.#first === a && this.#second === b;
  }

  #uniteElements(a: readonly unknown[], b: readonly unknown[]): unknown {
    if (a.length !== b.length) return DIFFERENT;
    let united: unknown[] | undefined;
    for (let i = 0; i < a.length; i++) {
      const element = this.unite(a[i], b[i]);
      if (element === DIFFERENT) return DIFFERENT;
      if (element === a[i]) continue;
      united ??= a.slice();
      united[i] = element;
    }
    return united ?? a;
  }

  #uniteFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): unknown {
    let count = 0;
    let united: Record<string, unknown> | undefined;
    for (const key in a) {
      if (!Object.hasOwn(b, key)) return DIFFERENT;
      const value = this.unite(a[key], b[key]);
      if (value === DIFFERENT) return DIFFERENT;
      count++;
      if (value === a[key]) continue;
      united ??= { ...a };
      united[key] = value;
    }
    for (const _ in b) count--;
    return count === 0 ? (united ?? a) : DIFFERENT;
  }
}
