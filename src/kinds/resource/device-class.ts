// Device classes. Upstream: pkg/registry/resource/deviceclass/strategy.go; pkg/apis/resource/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { DeviceClass } from "#api/generated/types/resource-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { isLongName } from "#kinds/parts/declarative.ts";
import { objectMetaOfFinishedName, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { countChange, firstGeneration, put } from "#kinds/parts/preparing.ts";
import { nameAndAge } from "#kinds/parts/printer.ts";
import { isExtendedResource } from "#kinds/parts/resources.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { CONFIGURATIONS_MAX } from "./claim-spec-validation.ts";
import { betaWarnings } from "./deprecated-versions.ts";
import { configuration, each } from "./device-checks.ts";
import { selectors } from "./selector-checks.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");

function withoutDisabled(given: DeviceClass, old: DeviceClass | undefined, gates: FeatureGateReader): DeviceClass {
  if (gates.isEnabled("DRAExtendedResource") || old?.spec?.extendedResourceName !== undefined) return given;
  return { ...given, spec: put(given.spec ?? {}, "extendedResourceName", undefined) };
}

function checks(errors: Errors, { metadata, spec = {} }: DeviceClass, old: DeviceClass | undefined): void {
  objectMetaOfFinishedName(errors, metadata ?? {}, false, isLongName, METADATA);
  if (old !== undefined) objectMetaUpdate(errors, metadata ?? {}, old.metadata ?? {}, METADATA);
  selectors(errors, spec.selectors, SPEC.child("selectors"));
  const isStored = old !== undefined && semanticEqual(spec.config, old.spec?.config);
  each(errors, spec.config, CONFIGURATIONS_MAX, SPEC.child("config"), (item, path) => {
    configuration(errors, item, path, isStored);
  });
  const { extendedResourceName: name } = spec;
  if (name !== undefined && !isExtendedResource(name)) {
    errors.push(field.invalid(SPEC.child("extendedResourceName"), name, "must be a valid extended resource name"));
  }
}

const strategy = kindStrategy<DeviceClass>({
  prepareForCreate: (given, { gates }) => withoutDisabled(firstGeneration(given), undefined, gates),
  validate(given) {
    const errors: Errors = [];
    checks(errors, given, undefined);
    return errors;
  },
  prepareForUpdate: (given, old, { gates }) => countChange(withoutDisabled(given, old, gates), old, "spec"),
  validateUpdate(given, old) {
    const errors: Errors = [];
    checks(errors, given, old);
    return errors;
  },
});

export const deviceClass: Kind<DeviceClass> = {
  key: "deviceclasses.resource.k8s.io",
  strategy,
  printer: nameAndAge,
  deprecationWarning: betaWarnings("DeviceClass"),
  returnsDeletedObject: true,
};
