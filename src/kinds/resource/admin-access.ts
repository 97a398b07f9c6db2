// Admin access to devices in use is limited to labelled namespaces.
// Upstream: pkg/registry/resource/utils.go, AuthorizedForAdmin, AuthorizedForAdminStatus

import * as field from "#api/field-error.ts";
import type { ResourceClaim, ResourceClaimSpec } from "#api/generated/types/resource-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";
import type { StrategyContext } from "#kinds/strategy.ts";

const LABEL = "resource.kubernetes.io/admin-access";

export function adminAccess(
  errors: Errors,
  spec: ResourceClaimSpec | undefined,
  namespace: string,
  ctx: StrategyContext,
): void {
  const index = (spec?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess === true);
  const path = field.newPath("spec", "devices", "requests").index(index).child("adminAccess");
  if (index >= 0) labelled(errors, namespace, path, ctx);
}

/** Checked only if the old allocation has no admin access. */
export function grantedAdminAccess(
  errors: Errors,
  claim: ResourceClaim,
  old: ResourceClaim,
  ctx: StrategyContext,
): void {
  const firstOf = ({ status }: ResourceClaim): number =>
    (status?.allocation?.devices?.results ?? []).findIndex((result) => result.adminAccess === true);
  const index = firstOf(claim);
  if (index < 0 || firstOf(old) >= 0) return;
  const path = field.newPath("status", "allocation", "devices", "results").index(index).child("adminAccess");
  labelled(errors, claim.metadata?.namespace ?? "", path, ctx);
}

function labelled(errors: Errors, name: string, path: Path, { namespace }: StrategyContext): void {
  const found = namespace?.(name);
  if (found === undefined) {
    const why = `namespaces ${goQuote(name)} not found`;
    errors.push(field.internalError(path, `could not retrieve namespace to verify admin access: ${why}`));
  } else if (found.metadata?.labels?.[LABEL] !== "true") {
    const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
    errors.push(field.forbidden(path, detail));
  }
}
