// Shared by pod groups and their templates in workloads: gated fields, and validation of each field.
// Upstream: pkg/apis/scheduling/v1alpha2, the generated checks; pkg/registry/scheduling/{podgroup,workload}/strategy.go.

import * as field from "#api/field-error.ts";
import type * as alpha from "#api/generated/types/scheduling-v1alpha2.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { type Errors, oneOf, type Path, requiredName } from "#kinds/parts/checks.ts";
import {
  type Change,
  immutable,
  isLabelKey,
  isLongName,
  isShortName,
  longName,
  maxItems,
  maximum,
  minimum,
  union,
  unique,
  whereChanged,
} from "#kinds/parts/declarative.ts";
import { put } from "#kinds/parts/preparing.ts";

/** The fields that a group and a template share. */
export type GroupPart = Omit<alpha.PodGroupTemplate, "name">;

const CLAIMS_MAX = 4;
const PRIORITY_MAX = 1_000_000_000;

const GATED = {
  schedulingConstraints: "TopologyAwareWorkloadScheduling",
  resourceClaims: "DRAWorkloadResourceClaims",
  disruptionMode: "WorkloadAwarePreemption",
  priorityClassName: "WorkloadAwarePreemption",
  priority: "WorkloadAwarePreemption",
} as const satisfies Partial<Record<keyof GroupPart, string>>;

/** Drops fields whose gate is off, unless the old object has them. */
export function withoutDisabled<T extends GroupPart>(part: T, old: GroupPart | undefined, gates: FeatureGateReader): T {
  let out = part;
  for (const [name, gate] of Object.entries(GATED) as [keyof typeof GATED, string][]) {
    if (!gates.isEnabled(gate) && !isUsed(old?.[name])) out = put(out, name, undefined);
  }
  return out;
}

function isUsed(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);
}

/** isFixed: the fields of a group are immutable; a template changes only with all templates. */
export function groupPart(
  errors: Errors,
  { value, old, isUpdate }: Change<GroupPart>,
  path: Path,
  gates: FeatureGateReader,
  isFixed: boolean,
): void {
  const of = <K extends keyof GroupPart>(name: K): Change<GroupPart[K]> => ({
    value: value[name],
    old: old?.[name],
    isUpdate: isUpdate && old !== undefined,
  });
  const check = <K extends keyof GroupPart>(
    name: K,
    isRefused: boolean,
    rule: (given: NonNullable<GroupPart[K]>) => void,
  ) =>
    whereChanged(of(name), (given) => {
      const at = path.child(name);
      if (isRefused && isUsed(given)) errors.push(field.forbidden(at, ""));
      else if (isFixed && !isRefused && immutable(errors, of(name), at)) return;
      else if (isUsed(given) && !isRefused) rule(given as NonNullable<GroupPart[K]>);
    });
  const isOff = (name: keyof typeof GATED): boolean => !gates.isEnabled(GATED[name]);

  whereChanged(of("schedulingPolicy"), () => {
    const at = path.child("schedulingPolicy");
    if (isFixed && immutable(errors, of("schedulingPolicy"), at)) return;
    schedulingPolicy(errors, { value: value.schedulingPolicy ?? {}, old: old?.schedulingPolicy, isUpdate }, at);
  });
  check("schedulingConstraints", isOff("schedulingConstraints"), ({ topology = [] }) => {
    const at = path.child("schedulingConstraints", "topology");
    if (maxItems(errors, topology, at, 1)) return;
    for (const [i, { key }] of topology.entries()) requiredName(errors, key, at.index(i).child("key"), isLabelKey);
  });
  whereChanged(of("resourceClaims"), (claims) => {
    const at = path.child("resourceClaims");
    if (immutable(errors, of("resourceClaims"), at)) return;
    resourceClaims(errors, claims ?? [], at);
  });
  const isModeOff = isOff("disruptionMode");
  whereChanged(of("disruptionMode"), (mode) => {
    if (isFixed && !isModeOff && mode === undefined) errors.push(field.required(path.child("disruptionMode"), ""));
  });
  check("disruptionMode", isModeOff, (mode) => oneOf(errors, mode, path.child("disruptionMode"), ["Pod", "PodGroup"]));
  check("priorityClassName", isOff("priorityClassName"), (name) =>
    longName(errors, name, path.child("priorityClassName")),
  );
  check("priority", isOff("priority"), (priority) => maximum(errors, priority, path.child("priority"), PRIORITY_MAX));
}

function schedulingPolicy(errors: Errors, change: Change<alpha.PodGroupSchedulingPolicy>, path: Path): void {
  union(errors, change, path, ["basic", "gang"]);
  const { gang } = change.value;
  if (gang === undefined || gang === null) return;
  const at = path.child("gang", "minCount");
  if (!gang.minCount) errors.push(field.required(at, ""));
  else minimum(errors, gang.minCount, at, 1);
}

function resourceClaims(errors: Errors, claims: readonly alpha.PodGroupResourceClaim[], path: Path): void {
  if (maxItems(errors, claims, path, CLAIMS_MAX)) return;
  unique(errors, claims.map(printedClaim), path, ({ name }) => name);
  for (const [index, claim] of claims.entries()) {
    const at = path.index(index);
    union(errors, { value: claim, old: undefined, isUpdate: false }, at, [
      "resourceClaimName",
      "resourceClaimTemplateName",
    ]);
    requiredName(errors, claim.name, at.child("name"), isShortName);
    for (const part of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
      const given = claim[part];
      if (given !== undefined) longName(errors, given, at.child(part));
    }
  }
}

/** In the order of upstream's fields. */
function printedClaim({ name, resourceClaimName, resourceClaimTemplateName }: alpha.PodGroupResourceClaim) {
  return {
    name,
    ...(resourceClaimName === undefined ? {} : { resourceClaimName }),
    ...(resourceClaimTemplateName === undefined ? {} : { resourceClaimTemplateName }),
  };
}

export function templateReference(errors: Errors, reference: alpha.PodGroupTemplateReference, path: Path): void {
  union(errors, { value: reference, old: undefined, isUpdate: false }, path, ["workload"]);
  const { workload } = reference;
  if (workload === undefined || workload === null) return;
  const at = path.child("workload");
  requiredName(errors, workload.workloadName, at.child("workloadName"), isLongName);
  requiredName(errors, workload.podGroupTemplateName, at.child("podGroupTemplateName"), isShortName);
}

/** Status entries must refer to claims in the spec. */
export function claimStatuses(
  errors: Errors,
  { value: statuses, old = [], isUpdate }: Change<readonly alpha.PodGroupResourceClaimStatus[]>,
  path: Path,
): void {
  if (isUpdate && JSON.stringify(statuses) === JSON.stringify(old)) return;
  if (maxItems(errors, statuses, path, CLAIMS_MAX)) return;
  unique(errors, statuses.map(printedClaim), path, ({ name }) => name);
  for (const [index, { name, resourceClaimName }] of statuses.entries()) {
    const isAsBefore = old.some((one) => one.name === name && one.resourceClaimName === resourceClaimName);
    if (resourceClaimName !== undefined && !isAsBefore) {
      longName(errors, resourceClaimName, path.index(index).child("resourceClaimName"));
    }
  }
}
