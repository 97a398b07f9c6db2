// Resource claim templates. Upstream: pkg/registry/resource/resourceclaimtemplate/strategy.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as resource from "#api/generated/types/resource-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { templateMeta } from "#kinds/core/claim-spec.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, IMMUTABLE } from "#kinds/parts/checks.ts";
import { at, type Rule } from "#kinds/parts/defaulting.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { adminAccess } from "./admin-access.ts";
import { withoutDisabled } from "./claim-dropped-fields.ts";
import { claimSpec } from "./claim-spec-validation.ts";
import { betaWarnings } from "./deprecated-versions.ts";
import { claimSpecs } from "./request-defaults.ts";
import { templateConversion } from "./v1beta1-conversion.ts";

type Template = resource.ResourceClaimTemplate;

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

function prepared(template: Template, old: Template | undefined, gates: FeatureGateReader): Template {
  const spec = withoutDisabled(template.spec?.spec, old?.spec?.spec, gates);
  return { ...template, spec: { ...template.spec, spec } };
}

function checks(errors: Errors, { metadata, spec }: Template, { gates }: StrategyContext): void {
  objectMeta(errors, metadata ?? {}, true, isDns1123Subdomain, METADATA);
  templateMeta(errors, spec?.metadata ?? {}, SPEC.child("metadata"));
  claimSpec(errors, spec?.spec ?? {}, SPEC.child("spec"), gates);
}

function validate(template: Template, ctx: StrategyContext): field.FieldError[] {
  const errors: Errors = [];
  adminAccess(errors, template.spec?.spec, template.metadata?.namespace ?? "", ctx);
  checks(errors, template, ctx);
  return errors;
}

function validateUpdate(template: Template, old: Template, ctx: StrategyContext): field.FieldError[] {
  const errors: Errors = [];
  checks(errors, template, ctx);
  objectMetaUpdate(errors, template.metadata ?? {}, old.metadata ?? {}, METADATA);
  const { spec } = template;
  if (!semanticEqual(spec, old.spec)) {
    const metadata = internalForm("ObjectMeta", spec?.metadata ?? {});
    const shown = { ...metadata, Spec: internalForm("ResourceClaimSpec", spec?.spec ?? {}) };
    errors.push(field.invalid(SPEC, shown, IMMUTABLE));
  }
  return errors;
}

const strategy = kindStrategy<Template>({
  prepareForCreate: (template, { gates }) => prepared(template, undefined, gates),
  validate,
  prepareForUpdate: (template, old, { gates }) => prepared(template, old, gates),
  validateUpdate,
});

const templateOf = (spec: Rule): Rule => at("spec", at("spec", spec));

export const resourceClaimTemplate: Kind<Template> = {
  key: "resourceclaimtemplates.resource.k8s.io",
  strategy,
  defaults: {
    v1: templateOf(claimSpecs.v1),
    v1beta1: templateOf(claimSpecs.v1beta1),
    v1beta2: templateOf(claimSpecs.v1beta2),
  },
  conversions: { "resource.k8s.io/v1beta1": templateConversion },
  printer: nameAndAge,
  deprecationWarning: betaWarnings("ResourceClaimTemplate"),
  returnsDeletedObject: true,
};
