// --emulated-version, --min-compatibility-version and --feature-gates, applied in that order, because gates are
// validated at the emulated version. This program has one component, "kube".
// Upstream: k8s.io/component-base/compatibility/{registry,version}.go; apimachinery/pkg/util/version.

import { goQuote } from "#api/go-text.ts";
import { errorMessage } from "#base/errors.ts";
import { type FeatureGates, parseFeatureGates } from "#base/feature-gates.ts";
import type { Logger } from "#base/log.ts";
import type { Options } from "./options.ts";

/** Major and minor, such as 1.36. */
interface Version {
  readonly major: number;
  readonly minor: number;
}

export interface ComponentVersions {
  readonly emulation: Version;
  readonly minCompatibility: Version;
}

class VersionError extends Error {
  override readonly name = "VersionError";
}

const COMPONENT = "kube";
const BINARY: Version = { major: 1, minor: 36 };
/** The oldest version for emulation and compatibility. */
const FLOOR: Version = { major: 1, minor: 33 };

export const versionText = ({ major, minor }: Version): string => `${major}.${minor}`;

const compare = (a: Version, b: Version): number => a.major - b.major || a.minor - b.minor;

/** Sets the gates. Returns the effective versions, or the problem as text. */
export function applyVersionsAndGates(
  options: Options,
  gates: FeatureGates,
  log?: Logger,
): ComponentVersions | { readonly problem: string } {
  try {
    const emulation = versionOf(options.emulatedVersions) ?? BINARY;
    const minCompatibility = versionOf(options.minCompatibilityVersions) ?? defaultCompatibility(emulation);
    gates.setEmulatedVersion(versionText(emulation), versionText(minCompatibility), log);
    setGates(options, gates, log);
    return { emulation, minCompatibility };
  } catch (error) {
    return { problem: errorMessage(error) };
  }
}

/** The problems of the versions; reported with all other problems of the options. */
export function validateVersions({ emulation, minCompatibility }: ComponentVersions): string[] {
  const problems: string[] = [];
  if (compare(emulation, BINARY) > 0 || compare(emulation, FLOOR) < 0) {
    const range = `[${versionText(FLOOR)}, ${versionText(BINARY)}.0]`;
    problems.push(`emulation version ${versionText(emulation)} is not between ${range}`);
  }
  if (compare(minCompatibility, emulation) > 0 || compare(minCompatibility, FLOOR) < 0) {
    const range = `[${versionText(FLOOR)}, ${versionText(emulation)}]`;
    problems.push(`minCompatibilityVersion version ${versionText(minCompatibility)} is not between ${range}`);
  }
  return problems;
}

/** The binary always counts as newer than the emulated version, because of its patch release. */
export function alphaWarnings(gates: FeatureGates): string[] {
  const names = gates
    .all()
    .flatMap(({ name, stage, isEnabled }) => (isEnabled && stage.preRelease === "ALPHA" ? [name] : []));
  const what = "component has alpha features enabled in emulated version, this is unsupported";
  return names.length === 0 ? [] : [`${what}: features=[${names.join(" ")}]`];
}

/** The release before the emulated one, if that is allowed. */
function defaultCompatibility({ major, minor }: Version): Version {
  const previous = { major, minor: Math.max(0, minor - 1) };
  return compare(previous, FLOOR) < 0 ? FLOOR : previous;
}

/** "1.35" or "kube=1.35"; undefined when no version is given. */
function versionOf(words: readonly string[]): Version | undefined {
  const found = new Map<string, Version>();
  for (const word of words) {
    const equals = word.indexOf("=");
    const component = equals < 0 ? COMPONENT : word.slice(0, equals).trim();
    const { numbers, text } = parseVersion(equals < 0 ? word : word.slice(equals + 1).trim());
    const [major = 0, minor = 0, patch = 0] = numbers;
    if (patch !== 0) throw new VersionError(`patch version not allowed, got: ${component}=${text}`);
    const previous = found.get(component);
    if (previous !== undefined) {
      const pair = `${component}=${versionText(previous)} and ${component}=${text}`;
      throw new VersionError(`duplicate version flag, ${pair}`);
    }
    found.set(component, { major, minor });
  }
  for (const component of found.keys()) requireKnown(component);
  return found.get(COMPONENT);
}

function parseVersion(text: string): { readonly numbers: readonly number[]; readonly text: string } {
  const match = /^\s*v?(\d+(?:\.\d+)*)/.exec(text);
  if (match === null) throw new VersionError(`could not parse ${goQuote(text)} as version`);
  const parts = (match[1] ?? "").split(".");
  if (parts.length < 2) throw new VersionError(`illegal version string ${goQuote(text)}`);
  const [first = ""] = parts;
  if (first.startsWith("0") && first !== "0") {
    throw new VersionError(`illegal zero-prefixed version component ${goQuote(first)} in ${goQuote(text)}`);
  }
  return { numbers: parts.map(Number), text: parts.map(Number).join(".") };
}

function requireKnown(component: string): void {
  if (component !== COMPONENT) throw new VersionError(`component not registered: ${component}`);
}

// Deviation: components are checked in order of their names; upstream checks them in the random order of a map.
function setGates({ featureGates }: Options, gates: FeatureGates, log: Logger | undefined): void {
  for (const prefix of Object.keys(featureGates).sort()) {
    if (prefix === "" && Object.hasOwn(featureGates, COMPONENT)) {
      throw new VersionError(
        "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
      );
    }
    requireKnown(prefix === "" ? COMPONENT : prefix);
    gates.setFromMap(parseFeatureGates((featureGates[prefix] ?? []).join(",")), log);
  }
}
