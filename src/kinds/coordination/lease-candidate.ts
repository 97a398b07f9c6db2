// Lease candidates. Upstream: pkg/registry/coordination/leasecandidate/strategy.go; pkg/apis/coordination/validation

import * as field from "#api/field-error.ts";
import type * as alpha from "#api/generated/types/coordination-v1alpha2.ts";
import { isConfigMapKey } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE } from "#kinds/parts/checks.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { electionStrategy } from "./lease.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

function validateLeaseCandidate(candidate: alpha.LeaseCandidate): field.FieldError[] {
  const errors: Errors = [];
  genericObjectMeta(errors, candidate.metadata ?? {}, true, isConfigMapKey, METADATA);
  candidateSpec(errors, candidate.spec);
  return errors;
}

function validateLeaseCandidateUpdate(candidate: alpha.LeaseCandidate, old: alpha.LeaseCandidate): field.FieldError[] {
  const errors: Errors = [];
  genericObjectMetaUpdate(errors, candidate.metadata ?? {}, old.metadata ?? {}, METADATA);
  candidateSpec(errors, candidate.spec);
  const name = candidate.spec?.leaseName ?? "";
  if (name !== (old.spec?.leaseName ?? "")) errors.push(field.invalid(SPEC.child("leaseName"), name, IMMUTABLE));
  return errors;
}

function candidateSpec(errors: Errors, spec: alpha.LeaseCandidateSpec | undefined): void {
  const { leaseName = "", emulationVersion: emulated = "", binaryVersion: binary = "" } = spec ?? {};
  if (leaseName === "") errors.push(field.required(SPEC.child("leaseName"), ""));
  const version = (text: string, part: string): Semver | undefined => {
    const parsed = parseSemver(text);
    if (!parsed) errors.push(field.invalid(SPEC.child(part), text, "must be a valid semantic version"));
    return parsed;
  };
  const emulation = emulated === "" ? undefined : version(emulated, "emulationVersion");
  if (binary === "") errors.push(field.required(SPEC.child("binaryVersion"), ""));
  const own = binary === "" ? undefined : version(binary, "binaryVersion");
  if (binary !== "" && emulated !== "" && compareSemver(own ?? ZERO, emulation ?? ZERO) < 0) {
    const detail = "must be greater than or equal to `emulationVersion`";
    errors.push(field.invalid(SPEC.child("binaryVersion"), binary, detail));
  }
  if (!spec?.strategy) {
    errors.push(field.required(SPEC.child("strategy"), ""));
    return;
  }
  if (spec.strategy === "OldestEmulationVersion" && compareSemver(emulation ?? ZERO, ZERO) === 0) {
    const detail = "must be specified when `strategy` is 'OldestEmulationVersion'";
    errors.push(field.required(SPEC.child("emulationVersion"), detail));
  }
  electionStrategy(errors, spec.strategy, SPEC.child("strategy"));
}

interface Semver {
  readonly numbers: readonly number[];
  readonly pre: readonly string[];
}

const ZERO: Semver = { numbers: [0, 0, 0], pre: [] };
const NUMBER = "(0|[1-9][0-9]*)";
const IDENTIFIERS = "[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*";
const SEMVER = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIERS}))?(?:\\+(${IDENTIFIERS}))?$`);

// Upstream: github.com/blang/semver, Parse
function parseSemver(text: string): Semver | undefined {
  const match = SEMVER.exec(text);
  if (!match) return undefined;
  const pre = match[4]?.split(".") ?? [];
  if (pre.some((part) => /^0[0-9]+$/.test(part))) return undefined;
  return { numbers: match.slice(1, 4).map(Number), pre };
}

function compareSemver(a: Semver, b: Semver): number {
  for (let i = 0; i < 3; i++) {
    const order = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (order !== 0) return order;
  }
  if (a.pre.length === 0 || b.pre.length === 0) return b.pre.length - a.pre.length;
  for (let i = 0; i < Math.min(a.pre.length, b.pre.length); i++) {
    const order = comparePart(a.pre[i] ?? "", b.pre[i] ?? "");
    if (order !== 0) return order;
  }
  return a.pre.length - b.pre.length;
}

function comparePart(a: string, b: string): number {
  const [aNumber, bNumber] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (aNumber && bNumber) return Number(a) - Number(b);
  if (aNumber !== bNumber) return aNumber ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

const strategy = kindStrategy<alpha.LeaseCandidate>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  validate: validateLeaseCandidate,
  validateUpdate: validateLeaseCandidateUpdate,
});

export const leaseCandidate: Kind<alpha.LeaseCandidate> = {
  key: "leasecandidates.coordination.k8s.io",
  strategy,
  deprecationWarning: deprecatedVersions("coordination.k8s.io", "LeaseCandidate", {
    v1beta1: [36, 39],
    v1alpha2: [35, 38],
  }),
  printer: printer<alpha.LeaseCandidate>("Name|LeaseName|BinaryVersion|EmulationVersion|Age", (object, now) => {
    const { leaseName = "", binaryVersion = "", emulationVersion = "" } = object.spec ?? {};
    return [nameOf(object), leaseName, binaryVersion, emulationVersion, ageOf(object, now)];
  }),
};
