// Volume attributes classes. Upstream: pkg/registry/storage/volumeattributesclass/strategy.go; pkg/apis/storage/validation

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as storage from "#api/generated/types/storage-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import type { Errors } from "#kinds/parts/checks.ts";
import { deprecatedVersions } from "#kinds/parts/deprecated-versions.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { provisionerName, provisionerParameters } from "./provisioner.ts";

const METADATA = field.newPath("metadata");
const DRIVER = field.newPath("driverName");
const PARAMETERS = field.newPath("parameters");

function validate(object: storage.VolumeAttributesClass): field.FieldError[] {
  const errors: Errors = [];
  objectMeta(errors, object.metadata ?? {}, false, isDns1123Subdomain, METADATA);
  provisionerName(errors, object.driverName ?? "", DRIVER);
  provisionerParameters(errors, object.parameters, false, PARAMETERS);
  return errors;
}

function validateUpdate(object: storage.VolumeAttributesClass, old: storage.VolumeAttributesClass): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, object.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (object.driverName !== old.driverName) {
    errors.push(field.forbidden(DRIVER, "updates to driverName are forbidden."));
  }
  if (!semanticEqual(object.parameters, old.parameters)) {
    errors.push(field.forbidden(PARAMETERS, "updates to parameters are forbidden."));
  }
  return [...errors, ...validate(object)];
}

export const volumeAttributesClass: Kind<storage.VolumeAttributesClass> = {
  key: "volumeattributesclasses.storage.k8s.io",
  strategy: kindStrategy<storage.VolumeAttributesClass>({ validate, validateUpdate }),
  deprecationWarning: deprecatedVersions("storage.k8s.io", "VolumeAttributesClass", { v1beta1: [34, 37, "v1"] }),
  printer: printer<storage.VolumeAttributesClass>("Name|DriverName|Age", (object, now) => [
    nameOf(object),
    object.driverName ?? "",
    ageOf(object, now),
  ]),
  returnsDeletedObject: true,
};
