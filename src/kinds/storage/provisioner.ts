// The provisioner and parameters of storage classes.
// Upstream: pkg/apis/storage/validation, validateProvisioner, validateParameters.

import * as field from "#api/field-error.ts";
import { byteLength } from "#api/go-text.ts";
import { type Errors, type Path, qualifiedName, type StringMap } from "#kinds/parts/checks.ts";

const PARAMETERS_MAX = 512;
const PARAMETER_BYTES_MAX = 256 * 1024;

export function provisionerName(errors: Errors, value: string, path: Path): void {
  if (value === "") errors.push(field.required(path, ""));
  else qualifiedName(errors, value.toLowerCase(), path);
}

export function provisionerParameters(
  errors: Errors,
  parameters: StringMap = {},
  mayBeEmpty: boolean,
  path: Path,
): void {
  const entries = Object.entries(parameters);
  if (entries.length > PARAMETERS_MAX) {
    errors.push(field.tooLong(path, PARAMETERS_MAX));
    return;
  }
  let bytes = 0;
  for (const [key, value] of entries) {
    if (key === "") errors.push(field.invalid(path, key, "field can not be empty."));
    bytes += byteLength(key) + byteLength(value);
  }
  if (bytes > PARAMETER_BYTES_MAX) errors.push(field.tooLong(path, PARAMETER_BYTES_MAX));
  if (!mayBeEmpty && entries.length === 0) {
    errors.push(field.required(path, "must contain at least one key/value pair"));
  }
}
