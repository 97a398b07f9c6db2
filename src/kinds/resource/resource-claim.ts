// Resource claims. Upstream: pkg/registry/resource/resourceclaim/strategy.go; pkg/apis/resource/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as resource from "#api/generated/types/resource-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE } from "#kinds/parts/checks.ts";
import { all, at, each, type Rule } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { put, resetMetaForStatus } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { adminAccess, grantedAdminAccess } from "./admin-access.ts";
import { statusWithoutDisabled, withoutDisabled } from "./claim-dropped-fields.ts";
import { claimSpec } from "./claim-spec-validation.ts";
import { claimStatus } from "./claim-status-validation.ts";
import { betaWarnings } from "./deprecated-versions.ts";
import { claimSpecs, deviceTolerations } from "./request-defaults.ts";
import { statusAccess } from "./status-access.ts";
import { claimConversion } from "./v1beta1-conversion.ts";

type Claim = resource.ResourceClaim;

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

function claimState({ metadata, status }: Claim): string {
  const states = metadata?.deletionTimestamp ? ["deleted"] : [];
  if (status?.allocation) states.push("allocated", ...((status.reservedFor ?? []).length > 0 ? ["reserved"] : []));
  else if (states.length === 0) states.push("pending");
  return states.join(",");
}

function validate(claim: Claim, ctx: StrategyContext): field.FieldError[] {
  const errors: Errors = [];
  adminAccess(errors, claim.spec, claim.metadata?.namespace ?? "", ctx);
  objectMeta(errors, claim.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  claimSpec(errors, claim.spec ?? {}, SPEC, ctx.gates);
  return errors;
}

function validateUpdate(claim: Claim, old: Claim): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, claim.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  objectMetaUpdate(errors, claim.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (!semanticEqual(claim.spec, old.spec)) {
    errors.push(field.invalid(SPEC, internalForm("ResourceClaimSpec", claim.spec ?? {}), IMMUTABLE));
  }
  return errors;
}

function validateStatus(claim: Claim, old: Claim, ctx: StrategyContext): field.FieldError[] {
  const errors: Errors = [];
  grantedAdminAccess(errors, claim, old, ctx);
  objectMetaUpdate(errors, claim.metadata ?? {}, old.metadata ?? {}, METADATA);
  claimStatus(errors, claim, old);
  return errors;
}

const strategy = kindStrategy<Claim>({
  resetFields: [["status"]],
  prepareForCreate: (claim, { gates }) => ({
    ...claim,
    spec: withoutDisabled(claim.spec, undefined, gates),
    status: {},
  }),
  validate,
  prepareForUpdate: (claim, old, { gates }) =>
    put({ ...claim, spec: withoutDisabled(claim.spec, old.spec, gates) }, "status", old.status),
  validateUpdate,
  subresources: {
    status: {
      prepareForUpdate(claim, old, { gates }) {
        const metadata = resetMetaForStatus(claim.metadata, old.metadata);
        const kept: Claim = { ...claim, spec: old.spec, metadata };
        return put(kept, "status", statusWithoutDisabled(kept, old, gates));
      },
      authorizeUpdate: statusAccess,
      validateUpdate: validateStatus,
      resetFields: [["metadata"], ["spec"]],
    },
  },
});

const status: Rule = at("status", at("allocation", at("devices", each("results", deviceTolerations))));

export const resourceClaim: Kind<Claim> = {
  key: "resourceclaims.resource.k8s.io",
  strategy,
  defaults: {
    v1: all(at("spec", claimSpecs.v1), status),
    v1beta1: all(at("spec", claimSpecs.v1beta1), status),
    v1beta2: all(at("spec", claimSpecs.v1beta2), status),
  },
  conversions: { "resource.k8s.io/v1beta1": claimConversion },
  printer: printer<Claim>("Name|State|Age", (claim, now) => [nameOf(claim), claimState(claim), ageOf(claim, now)]),
  unprintedSubresources: ["status"],
  deprecationWarning: betaWarnings("ResourceClaim"),
  returnsDeletedObject: true,
};
