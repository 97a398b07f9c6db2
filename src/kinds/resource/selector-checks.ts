// Device selectors of classes and requests. Upstream: pkg/apis/resource/validation/validation.go, validateSelector

import * as field from "#api/field-error.ts";
import type { DeviceSelector } from "#api/generated/types/resource-v1.ts";
import { byteLength } from "#api/go-text.ts";
import { compileDeviceSelector } from "#cel/device-selector.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";
import { each } from "./device-checks.ts";

const SELECTORS_MAX = 32;
const EXPRESSION_BYTES_MAX = 10 * 1024;
const COST_MAX = 1_000_000n;

export function selectors(errors: Errors, list: readonly DeviceSelector[] | undefined, path: Path): void {
  each(errors, list, SELECTORS_MAX, path, ({ cel }, at) => {
    if (cel === undefined) errors.push(field.required(at.child("cel"), ""));
    else expression(errors, cel.expression ?? "", at.child("cel", "expression"));
  });
}

function expression(errors: Errors, text: string, path: Path): void {
  if (byteLength(text) > EXPRESSION_BYTES_MAX) {
    errors.push(field.tooLong(path, EXPRESSION_BYTES_MAX));
    return;
  }
  const { error, isInternal, costMax } = compileDeviceSelector(text);
  if (error !== undefined) {
    errors.push(isInternal ? field.internalError(path, error) : field.invalid(path, text, error));
  } else if (costMax > COST_MAX) errors.push(field.forbidden(path, "too complex, exceeds cost limit"));
}
