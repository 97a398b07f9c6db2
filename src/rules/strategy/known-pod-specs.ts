// Pod specs that were found to be in order, so that the next pod of the same template need not be checked again: a
// comparison costs a tenth of the rules. Names of token volumes, which admission draws for every pod, may differ.
// Only what depends on nothing but spec and annotations is answered from here.

import type * as core from "#api/generated/types/core-v1.ts";
import type { FeatureGateReader } from "./strategy.ts";

/** Templates that are rolled out at the same time; more only make the search for a new one longer. */
const SPECS_MAX = 8;

type Annotations = Readonly<Record<string, string>> | undefined;

export interface KnownPodSpec {
  readonly spec: core.PodSpec;
  readonly annotations: Annotations;
  /** Undefined: not known yet. */
  qosClass: string | undefined;
  /** It earns no warnings. Undefined: not known yet. */
  isUnwarned: boolean | undefined;
}

export class KnownPodSpecs {
  readonly #known: KnownPodSpec[] = [];
  /** The spec that was looked up last, itself: the steps of one write ask for the same. */
  #current: { readonly spec: core.PodSpec; readonly known: KnownPodSpec } | undefined;

  /** What is known of a pod's spec. */
  find(pod: core.Pod): KnownPodSpec | undefined {
    const { spec, metadata } = pod;
    if (spec === undefined) return undefined;
    const at = this.#known.findIndex(
      (known) => isSame(known.spec, spec) && isSame(known.annotations ?? {}, metadata?.annotations ?? {}),
    );
    const known = this.#known[at];
    if (known === undefined) return undefined;
    if (at > 0) this.#known.unshift(...this.#known.splice(at, 1));
    this.#current = { spec, known };
    return known;
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
    this.#known.unshift(known);
    if (this.#known.length > SPECS_MAX) this.#known.pop();
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
  return new Comparison().isSame(a, b);
}

class Comparison {
  #first: string | undefined;
  #second: string | undefined;

  isSame(a: unknown, b: unknown): boolean {
    if (typeof a === "string") return a === b ? !isTokenVolume(a) || this.#isPair(a, a) : this.#isRenamed(a, b);
    if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
    if (Array.isArray(a)) return Array.isArray(b) && this.#areSameElements(a, b);
    return !Array.isArray(b) && this.#haveSameFields(a as Record<string, unknown>, b as Record<string, unknown>);
  }

  #isRenamed(a: string, b: unknown): boolean {
    return typeof b === "string" && isTokenVolume(a) && isTokenVolume(b) && this.#isPair(a, b);
  }

  /** One name for one: two that become the same, or one that becomes two, are another spec. */
  #isPair(a: string, b: string): boolean {
    if (this.#first === undefined) [this.#first, this.#second] = [a, b];
    return this.#first === a && this.#second === b;
  }

  #areSameElements(a: readonly unknown[], b: readonly unknown[]): boolean {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!this.isSame(a[i], b[i])) return false;
    return true;
  }

  #haveSameFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
    let count = 0;
    for (const key in a) {
      if (!Object.hasOwn(b, key) || !this.isSame(a[key], b[key])) return false;
      count++;
    }
    for (const _ in b) count--;
    return count === 0;
  }
}
