// Feature gates: the stage of a gate in each version, the values that were set, and the resulting state. This file has
// the mechanism only; the table of gates is data of another layer.
// Upstream: k8s.io/component-base/featuregate/feature_gate.go
import { assert } from "./assert.ts";
import { aggregateText } from "./errors.ts";
import type { Logger } from "./log.ts";

/** "" is general availability; PRE-ALPHA is a gate that does not exist yet at the emulated version. */
export type PreRelease = "PRE-ALPHA" | "ALPHA" | "BETA" | "" | "DEPRECATED";

/** The state of a gate from a version on. */
export interface FeatureStage {
  /** Major and minor, such as "1.36". */
  readonly version: string;
  readonly default: boolean;
  readonly preRelease: PreRelease;
  readonly lockToDefault?: boolean;
  /** The stage applies only when every other component has at least this version. */
  readonly minCompatibilityVersion?: string;
}

export interface FeatureTable {
  /** The stages of each gate in ascending order of versions. */
  readonly gates: Readonly<Record<string, readonly FeatureStage[]>>;
  /** Gates that need others to be on. */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}

/** For code that only asks whether a gate is on. */
export interface FeatureGateReader {
  /** False for a name it does not know. */
  isEnabled(name: string): boolean;
}

/** The requested gates cannot be set. */
export class FeatureGateError extends Error {
  override readonly name = "FeatureGateError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(aggregateText(problems));
    this.problems = [...new Set(problems)];
  }
}

const preAlpha: FeatureStage = { version: "0.0", default: false, preRelease: "PRE-ALPHA" };
const special: ReadonlyMap<string, PreRelease> = new Map([
  ["AllAlpha", "ALPHA"],
  ["AllBeta", "BETA"],
]);

interface Versions {
  readonly emulated: string;
  readonly minCompatibility: string;
}

export class FeatureGates {
  readonly #known: ReadonlyMap<string, readonly FeatureStage[]>;
  readonly #dependencies: ReadonlyMap<string, readonly string[]>;
  #versions: Versions;
  /** The values as they were set. */
  #requested: ReadonlyMap<string, boolean> = new Map();
  /** The resulting values, with AllAlpha and AllBeta expanded. */
  #enabled: ReadonlyMap<string, boolean> = new Map();
  /** Answers given since the last change. */
  readonly #answers = new Map<string, boolean>();

  constructor(table: FeatureTable, emulatedVersion: string, minCompatibilityVersion?: string) {
    const { known, dependencies } = indexOf(table);
    this.#known = known;
    this.#dependencies = dependencies;
    this.#versions = versionsOf(emulatedVersion, minCompatibilityVersion);
  }

  /** Asking for an unknown gate is a programming error. */
  isEnabled(name: string): boolean {
    let answer = this.#answers.get(name);
    if (answer === undefined) {
      answer = this.#isEnabledIn(name, this.#enabled, this.#versions);
      this.#answers.set(name, answer);
    }
    return answer;
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  isExplicitlySet(name: string): boolean {
    return this.#requested.has(name);
  }

  get emulatedVersion(): string {
    return this.#versions.emulated;
  }

  get minCompatibilityVersion(): string {
    return this.#versions.minCompatibility;
  }

  /** The gate at the emulated version, or undefined where it does not exist. */
  stage(name: string): FeatureStage | undefined {
    const stages = this.#known.get(name);
    if (stages === undefined) return undefined;
    const stage = stageAt(stages, this.#versions);
    return stage.preRelease === "PRE-ALPHA" ? undefined : stage;
  }

  /** Every gate that exists at the emulated version, by name. */
  all(): { name: string; stage: FeatureStage; isEnabled: boolean }[] {
    return [...this.#known.keys()].sort().flatMap((name) => {
      const stage = this.stage(name);
      return stage === undefined ? [] : [{ name, stage, isEnabled: this.isEnabled(name) }];
    });
  }

  /** Sets all gates or none. Throws FeatureGateError. */
  setFromMap(values: Readonly<Record<string, boolean>>, log?: Logger): void {
    this.#requested = new Map([...this.#requested, ...Object.entries(values)]);
    this.#enabled = this.#resolve(this.#enabled, this.#versions, log);
    this.#answers.clear();
    log?.v(1).info("Updated", { featureGates: Object.fromEntries(this.#enabled) });
  }

  /** Changes the emulated version and validates the set gates again. Throws FeatureGateError. */
  setEmulatedVersion(emulated: string, minCompatibility?: string, log?: Logger): void {
    const versions = versionsOf(emulated, minCompatibility);
    this.#enabled = this.#resolve(new Map(), versions, log);
    this.#versions = versions;
    this.#answers.clear();
  }

  /** The problems of the set gates at the emulated version. */
  validate(): readonly string[] {
    try {
      this.#resolve(new Map(), this.#versions);
      return [];
    } catch (error) {
      if (error instanceof FeatureGateError) return error.problems;
      throw error;
    }
  }

  /** A line per gate for the help text; gates that are GA, deprecated or pre-alpha are left out. */
  helpLines(): string[] {
    const compatible = versionsOf(this.#versions.emulated, this.#versions.emulated);
    return [...this.#known]
      .flatMap(([name, stages]) => {
        const stage = stageAt(stages, this.#versions);
        const other = stageAt(stages, compatible);
        const texts = [helpOf(name, stage), ...(other === stage ? [] : [helpOf(name, other, true)])].filter(Boolean);
        return texts.length === 0 ? [] : [texts.join(", or ")];
      })
      .sort();
  }

  toString(): string {
    return [...this.#enabled]
      .map(([name, value]) => `${name}=${value}`)
      .sort()
      .join(",");
  }

  // Deviation: names are checked in order; upstream checks them in the random order of a map.
  #resolve(previous: ReadonlyMap<string, boolean>, versions: Versions, log?: Logger): ReadonlyMap<string, boolean> {
    const enabled = new Map(previous);
    const problems: string[] = [];
    for (const [name, value] of [...this.#requested].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const stages = this.#known.get(name);
      if (stages === undefined) throw new FeatureGateError([...problems, `unrecognized feature gate: ${name}`]);
      const stage = stageAt(stages, versions);
      const preRelease = special.get(name);
      if (preRelease !== undefined) {
        this.#setUnset(enabled, preRelease, value, versions);
        enabled.set(name, value);
      } else {
        const problem = problemWith(name, value, stage, versions);
        if (problem !== undefined) problems.push(problem);
        else enabled.set(name, value);
        if (problem === undefined) warnOf(name, value, stage, log);
      }
    }
    if (problems.length === 0) problems.push(...this.#unmetDependencies(enabled, versions));
    if (problems.length > 0) throw new FeatureGateError(problems);
    return enabled;
  }

  #setUnset(enabled: Map<string, boolean>, preRelease: PreRelease, value: boolean, versions: Versions): void {
    for (const [name, stages] of this.#known) {
      if (special.has(name) || enabled.has(name) || this.#requested.has(name)) continue;
      if (stageAt(stages, versions).preRelease === preRelease) enabled.set(name, value);
    }
  }

  #unmetDependencies(enabled: ReadonlyMap<string, boolean>, versions: Versions): string[] {
    return [...this.#dependencies].flatMap(([name, needed]) => {
      if (!this.#isEnabledIn(name, enabled, versions)) return [];
      const off = needed.toSorted().filter((gate) => !this.#isEnabledIn(gate, enabled, versions));
      return off.length === 0
        ? []
        : [`${name} is enabled, but depends on features that are disabled: [${off.join(" ")}]`];
    });
  }

  #isEnabledIn(name: string, enabled: ReadonlyMap<string, boolean>, versions: Versions): boolean {
    const value = enabled.get(name);
    if (value !== undefined) return value;
    const stages = this.#known.get(name);
    assert(stages !== undefined, `feature "${name}" is not registered in FeatureGate`);
    return stageAt(stages, versions).default;
  }
}

/** Reads "Gate=true,Other=false". */
export function parseFeatureGates(text: string): Record<string, boolean> {
  const values: [string, boolean][] = [];
  for (const part of text.split(",")) {
    if (part === "") continue;
    const split = part.indexOf("=");
    const name = (split < 0 ? part : part.slice(0, split)).trim();
    if (split < 0) throw new FeatureGateError([`missing bool value for ${name}`]);
    const value = part.slice(split + 1).trim();
    const isTrue = ["1", "t", "T", "TRUE", "true", "True"].includes(value);
    if (!isTrue && !["0", "f", "F", "FALSE", "false", "False"].includes(value)) {
      const reason = `strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`;
      throw new FeatureGateError([`invalid value of ${name}=${value}, err: ${reason}`]);
    }
    values.push([name, isTrue]);
  }
  return Object.fromEntries(values);
}

function problemWith(name: string, value: boolean, stage: FeatureStage, versions: Versions): string | undefined {
  if (stage.lockToDefault && stage.default !== value) {
    return `cannot set feature gate ${name} to ${value}, feature is locked to ${stage.default}`;
  }
  if (stage.preRelease === "PRE-ALPHA") {
    const { emulated, minCompatibility } = versions;
    return `cannot set feature gate ${name} to ${value}, feature is PreAlpha at emulated version ${emulated}, min compatibility version ${minCompatibility}`;
  }
  return undefined;
}

function warnOf(name: string, value: boolean, stage: FeatureStage, log: Logger | undefined): void {
  if (stage.preRelease !== "" && stage.preRelease !== "DEPRECATED") return;
  const kind = stage.preRelease === "" ? "GA" : "deprecated";
  log?.info(`Warning: setting ${kind} feature gate. It will be removed in a future release.`, {
    featureGate: name,
    value,
  });
}

function helpOf(name: string, stage: FeatureStage, showsCompatibility = false): string {
  if (stage.preRelease !== "ALPHA" && stage.preRelease !== "BETA") return "";
  const text = `${name}=true|false (${stage.preRelease} - default=${stage.default})`;
  const min = showsCompatibility ? stage.minCompatibilityVersion : undefined;
  return min === undefined ? text : `${text} if --min-compatibility-version>=${min}`;
}

interface TableIndex {
  readonly known: ReadonlyMap<string, readonly FeatureStage[]>;
  readonly dependencies: ReadonlyMap<string, readonly string[]>;
}

/** A process that opens many clusters reads the same table for each of them. */
const indexes = new WeakMap<FeatureTable, TableIndex>();

function indexOf(table: FeatureTable): TableIndex {
  const index = indexes.get(table) ?? makeIndex(table);
  indexes.set(table, index);
  return index;
}

function makeIndex(table: FeatureTable): TableIndex {
  const known = new Map<string, readonly FeatureStage[]>();
  for (const [name, preRelease] of special) known.set(name, [{ version: "0.0", default: false, preRelease }]);
  for (const [name, stages] of Object.entries(table.gates)) known.set(name, completed(name, stages));
  const dependencies = new Map(Object.entries(table.dependencies ?? {}));
  for (const [name, needed] of dependencies) {
    for (const gate of [name, ...needed]) assert(known.has(gate), `dependency of an unknown feature gate: ${gate}`);
  }
  return { known, dependencies };
}

/** A stage without a compatibility version has that of the stage before it. */
function completed(name: string, stages: readonly FeatureStage[]): readonly FeatureStage[] {
  let last: FeatureStage | undefined;
  return stages.map((stage) => {
    assert(last === undefined || rank(stage.version) >= rank(last.version), `stages of ${name} are out of order`);
    const inherited = last?.minCompatibilityVersion;
    if (stage.minCompatibilityVersion !== undefined || inherited === undefined) last = stage;
    else last = { ...stage, minCompatibilityVersion: inherited };
    return last;
  });
}

function stageAt(stages: readonly FeatureStage[], { emulated, minCompatibility }: Versions): FeatureStage {
  const [last, lastCompatible] = [rank(emulated), rank(minCompatibility)];
  const found = stages.findLast(
    (stage) =>
      rank(stage.version) <= last &&
      (stage.minCompatibilityVersion === undefined || rank(stage.minCompatibilityVersion) <= lastCompatible),
  );
  return found ?? preAlpha;
}

function versionsOf(emulated: string, minCompatibility?: string): Versions {
  const [major = 0, minor = 0] = emulated.split(".").map(Number);
  return { emulated, minCompatibility: minCompatibility ?? `${major}.${Math.max(0, minor - 1)}` };
}

const ranks = new Map<string, number>();

function rank(version: string): number {
  const known = ranks.get(version);
  if (known !== undefined) return known;
  const [major = Number.NaN, minor = Number.NaN] = version.split(".").map(Number);
  assert(!Number.isNaN(major + minor), `not a version: ${version}`);
  const rank = major * 100_000 + minor;
  ranks.set(version, rank);
  return rank;
}
