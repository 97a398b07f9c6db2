// Config maps. Upstream: pkg/registry/core/configmap/strategy.go; pkg/apis/core/validation, ValidateConfigMap

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { isConfigMapKey, isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { type Errors, name } from "#kinds/parts/checks.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { count, DATA, DATA_BYTES_MAX, decodedLength, frozen } from "./data-maps.ts";

const METADATA = field.newPath("metadata");

function validateConfigMap(map: core.ConfigMap): field.FieldError[] {
  const errors: Errors = [];
  const { data = {}, binaryData = {} } = map;
  objectMeta(errors, map.metadata ?? {}, true, isDns1123Subdomain, METADATA);
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    name(errors, key, DATA.key(key), isConfigMapKey);
    if (Object.hasOwn(binaryData, key)) {
      errors.push(field.invalid(DATA.key(key), key, "duplicate of key present in binaryData"));
    }
    size += byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    name(errors, key, field.newPath("binaryData").key(key), isConfigMapKey);
    size += decodedLength(value);
  }
  if (size > DATA_BYTES_MAX) errors.push(field.tooLong(field.newPath("[]"), DATA_BYTES_MAX));
  return errors;
}

function validateConfigMapUpdate(map: core.ConfigMap, old: core.ConfigMap): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, map.metadata ?? {}, old.metadata ?? {}, METADATA);
  if (old.immutable) frozen(errors, map, old, ["data", "binaryData"]);
  return [...errors, ...validateConfigMap(map)];
}

const strategy = kindStrategy<core.ConfigMap>({
  validate: validateConfigMap,
  validateUpdate: validateConfigMapUpdate,
});

export const configMap: Kind<core.ConfigMap> = {
  key: "configmaps",
  strategy,
  printer: printer<core.ConfigMap>("Name|Data|Age", (map, now) => [
    nameOf(map),
    count(map.data) + count(map.binaryData),
    ageOf(map, now),
  ]),
};
