// Leases. Upstream: pkg/registry/coordination/lease/strategy.go; pkg/apis/coordination/validation

import * as field from "#api/field-error.ts";
import type * as coordination from "#api/generated/types/coordination-v1.ts";
import { isDns1123Subdomain, isQualifiedName } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";
import { genericObjectMeta, genericObjectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

function validateLease(lease: coordination.Lease): field.FieldError[] {
  const errors: Errors = [];
  genericObjectMeta(errors, lease.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  leaseSpec(errors, lease.spec ?? {});
  return errors;
}

function validateLeaseUpdate(lease: coordination.Lease, old: coordination.Lease): field.FieldError[] {
  const errors: Errors = [];
  genericObjectMetaUpdate(errors, lease.metadata ?? {}, old.metadata ?? {}, METADATA);
  leaseSpec(errors, lease.spec ?? {});
  return errors;
}

function leaseSpec(errors: Errors, spec: coordination.LeaseSpec): void {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions, preferredHolder } = spec;
  if (duration !== undefined && duration <= 0) {
    errors.push(field.invalid(SPEC.child("leaseDurationSeconds"), duration, "must be greater than 0"));
  }
  if (transitions !== undefined && transitions < 0) {
    errors.push(field.invalid(SPEC.child("leaseTransitions"), transitions, "must be greater than or equal to 0"));
  }
  if (spec.strategy !== undefined) electionStrategy(errors, spec.strategy, SPEC.child("strategy"));
  if (preferredHolder && !spec.strategy) {
    errors.push(field.forbidden(SPEC.child("preferredHolder"), "may only be specified if `strategy` is defined"));
  }
}

export function electionStrategy(errors: Errors, value: string, specPath: Path): void {
  const path = specPath.child("strategy");
  if (!value.includes("/")) {
    if (value !== "OldestEmulationVersion") errors.push(field.notSupported(path, value, ["OldestEmulationVersion"]));
    return;
  }
  for (const message of isQualifiedName(value)) errors.push(field.invalid(path, value, message));
}

/** Drops the fields of coordinated leader election unless the gate is on or the old lease has them. */
function withoutElection(
  lease: coordination.Lease,
  old: coordination.Lease | undefined,
  ctx: StrategyContext,
): coordination.Lease {
  if (lease.spec === undefined || ctx.gates.isEnabled("CoordinatedLeaderElection")) return lease;
  let { spec } = lease;
  for (const part of ["strategy", "preferredHolder"] as const) {
    if (old?.spec?.[part] === undefined) spec = put(spec, part, undefined);
  }
  return put(lease, "spec", spec);
}

const strategy = kindStrategy<coordination.Lease>({
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (lease, ctx) => withoutElection(lease, undefined, ctx),
  validate: validateLease,
  prepareForUpdate: withoutElection,
  validateUpdate: validateLeaseUpdate,
});

export const lease: Kind<coordination.Lease> = {
  key: "leases.coordination.k8s.io",
  strategy,
  printer: printer<coordination.Lease>("Name|Holder|Age", (lease, now) => [
    nameOf(lease),
    lease.spec?.holderIdentity ?? "",
    ageOf(lease, now),
  ]),
};
