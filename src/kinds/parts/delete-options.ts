// The options of a delete. Upstream: apimachinery pkg/apis/meta/v1/validation, ValidateDeleteOptions

import * as field from "#api/field-error.ts";
import type { DeleteOptions } from "#api/meta.ts";
import { newInvalid } from "#api/status-error.ts";

export const isDryRun = (options: DeleteOptions): boolean => (options.dryRun?.length ?? 0) > 0;

export function validateDryRun(dryRun: readonly string[]): field.FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [field.notSupported(field.newPath("dryRun"), dryRun, ["All"])];
}

const PROPAGATION_POLICIES = ["Foreground", "Background", "Orphan"];

/** Throws a 422. */
export function checkDeleteOptions(options: DeleteOptions): void {
  const errors: field.FieldError[] = [];
  const path = field.newPath("propagationPolicy");
  const { propagationPolicy, orphanDependents } = options;
  if (orphanDependents !== undefined && propagationPolicy !== undefined) {
    const detail = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(field.invalid(path, propagationPolicy, detail));
  }
  if (propagationPolicy !== undefined && !PROPAGATION_POLICIES.includes(propagationPolicy)) {
    errors.push(field.notSupported(path, propagationPolicy, [...PROPAGATION_POLICIES, "nil"]));
  }
  errors.push(...validateDryRun(options.dryRun ?? []));
  if (errors.length > 0) throw newInvalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}
