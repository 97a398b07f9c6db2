// Resource slices. Upstream: pkg/registry/resource/resourceslice/strategy.go; pkg/apis/resource/v1/defaults.go

import * as field from "#api/field-error.ts";
import type { ResourceSlice } from "#api/generated/types/resource-v1.ts";
import { goQuote } from "#api/go-text.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { at, each, type Rule } from "#kinds/parts/defaulting.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { betaWarnings } from "./deprecated-versions.ts";
import { device } from "./device-defaults.ts";
import { withoutDisabled } from "./slice-dropped-fields.ts";
import { sliceSpec } from "./slice-validation.ts";
import { sliceConversion } from "./v1beta1-conversion.ts";

const METADATA = field.newPath("metadata");

function enabled(slice: ResourceSlice, old: ResourceSlice | undefined, gates: FeatureGateReader): ResourceSlice {
  return { ...slice, spec: withoutDisabled(slice.spec ?? {}, old?.spec, gates) };
}

function validate({ metadata, spec }: ResourceSlice): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, metadata ?? {}, false, isDns1123Subdomain, METADATA);
  sliceSpec(errors, spec ?? {}, undefined);
  return errors;
}

function validateUpdate({ metadata, spec }: ResourceSlice, old: ResourceSlice): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, metadata ?? {}, old.metadata ?? {}, METADATA);
  sliceSpec(errors, spec ?? {}, old.spec ?? {});
  return errors;
}

function warnings({ spec }: ResourceSlice): string[] {
  const driver = spec?.driver ?? "";
  if (driver === driver.toLowerCase()) return [];
  return [`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`];
}

const strategy = kindStrategy<ResourceSlice>({
  prepareForCreate: (slice, { gates }) => enabled(firstGeneration(slice), undefined, gates),
  validate,
  warningsOnCreate: warnings,
  // As upstream, the generation also counts changes that are then dropped.
  prepareForUpdate: (slice, old, { gates }) => enabled(countChange(slice, old, "spec"), old, gates),
  validateUpdate,
  warningsOnUpdate: warnings,
});

const devicesOf = (rule: Rule): Rule => at("spec", each("devices", rule));

export const resourceSlice: Kind<ResourceSlice> = {
  key: "resourceslices.resource.k8s.io",
  strategy,
  defaults: { v1: devicesOf(device), v1beta1: devicesOf(at("basic", device)), v1beta2: devicesOf(device) },
  conversions: { "resource.k8s.io/v1beta1": sliceConversion },
  selectableFields: {
    "spec.nodeName": ({ spec }) => spec?.nodeName ?? "",
    "spec.driver": ({ spec }) => spec?.driver ?? "",
  },
  indexedField: "spec.nodeName",
  unsupportedFieldLabel: (label, { group, version, kind }) =>
    `field label not supported for ${group}/${version}, Kind=${kind}: ${label}`,
  printer: printer<ResourceSlice>("Name|Node|Driver|Pool|Age", (slice, now) => {
    const { nodeName = "", driver = "", pool } = slice.spec ?? {};
    return [nameOf(slice), nodeName, driver, pool?.name ?? "", ageOf(slice, now)];
  }),
  deprecationWarning: betaWarnings("ResourceSlice"),
  returnsDeletedObject: true,
};
