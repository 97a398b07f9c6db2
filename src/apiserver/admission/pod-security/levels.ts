// The pod security levels and versions in a namespace's labels.
// Upstream: k8s.io/pod-security-admission/api/helpers.go

import * as field from "#api/field-error.ts";

export type Level = "privileged" | "baseline" | "restricted";

/** A minor version of Kubernetes, or the newest. */
export type Version = number | "latest";

export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

export type Mode = "enforce" | "audit" | "warn";

export type Policy = Readonly<Record<Mode, LevelVersion>>;

/** From least to most strict. */
const LEVELS: readonly Level[] = ["privileged", "baseline", "restricted"];
const LABELS = field.newPath("metadata", "labels");
const LATEST: LevelVersion = { level: "privileged", version: "latest" };

export const PRIVILEGED: Policy = { enforce: LATEST, audit: LATEST, warn: LATEST };

export const levelLabel = (mode: Mode): string => `pod-security.kubernetes.io/${mode}`;
export const versionLabel = (mode: Mode): string => `${levelLabel(mode)}-version`;

export const levelText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === "latest" ? version : `v1.${version}`}`;

export const isStricter = (a: Level, b: Level): boolean => LEVELS.indexOf(a) > LEVELS.indexOf(b);

export const isSameLevel = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;

export const isPrivileged = ({ enforce, audit, warn }: Policy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === "privileged");

export interface ParsedPolicy {
  /** Always valid, even if there are errors. */
  readonly policy: Policy;
  readonly errors: readonly field.FieldError[];
}

export function policyOf(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): ParsedPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: field.FieldError[] = [];
  const refuse = (label: string, detail: string): void => {
    errors.push(field.invalid(LABELS.key(label), labels[label] ?? "", detail));
  };
  const parse = (mode: Mode): LevelVersion => {
    let { level, version } = defaults[mode];
    const given = labels[levelLabel(mode)];
    if (given !== undefined) {
      const known = LEVELS.find((one) => one === given);
      if (known === undefined) refuse(levelLabel(mode), `must be one of ${LEVELS.join(", ")}`);
      // An unknown level is enforced as the strictest, and ignored in the other modes.
      level = known ?? (mode === "enforce" ? "restricted" : "privileged");
    }
    const givenVersion = labels[versionLabel(mode)];
    if (givenVersion !== undefined) {
      const known = parseVersion(givenVersion);
      if (known === undefined) refuse(versionLabel(mode), 'must be "latest" or "v1.x"');
      version = known ?? "latest";
    }
    return { level, version };
  };
  const enforce = parse("enforce");
  const audit = parse("audit");
  const warn = parse("warn");
  return { policy: { enforce, audit, warn: warnOf(labels, enforce, warn) }, errors };
}

/** If only a valid enforce level is given, templates that violate it also cause warnings. */
function warnOf(labels: Readonly<Record<string, string>>, enforce: LevelVersion, warn: LevelVersion): LevelVersion {
  const isGiven = LEVELS.some((level) => level === labels[levelLabel("enforce")]);
  if (labels[levelLabel("warn")] !== undefined || !isGiven || !isStricter(enforce.level, warn.level)) return warn;
  return { level: enforce.level, version: labels[versionLabel("warn")] === undefined ? enforce.version : warn.version };
}

function parseVersion(text: string): Version | undefined {
  if (text === "latest") return text;
  const match = /^v1\.([0-9]|[1-9][0-9]*)$/.exec(text);
  const minor = Number(match?.[1]);
  // Go parses the version as int64.
  return match === null || minor >= 2 ** 63 ? undefined : minor;
}
