// Policies for consuming a device's capacity: a list of values, or a range.
// Upstream: pkg/apis/resource/validation/validation.go, validateRequestPolicy

import * as field from "#api/field-error.ts";
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from "#api/generated/types/resource-v1.ts";
import type { Quantity } from "#api/quantity.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";
import { amount } from "#kinds/parts/quantities.ts";
import { each } from "./device-checks.ts";

const VALUES_MAX = 10;

export function deviceCapacity(
  errors: Errors,
  { value, requestPolicy }: DeviceCapacity,
  path: Path,
  isShared: boolean,
): void {
  if (requestPolicy === undefined) return;
  const at = path.child("requestPolicy");
  if (isShared) policy(errors, amount(value ?? "0"), requestPolicy, at);
  else errors.push(field.forbidden(at, "allowMultipleAllocations must be true"));
}

function policy(errors: Errors, capacity: Quantity, given: CapacityRequestPolicy, path: Path): void {
  const { validValues = [], validRange } = given;
  if (validValues.length > 0 && validRange !== undefined) {
    const detail = `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`;
    errors.push(field.forbidden(path, detail));
    return;
  }
  if (validValues.length === 0 && validRange === undefined) return;
  const part = validRange === undefined ? "validValues" : "validRange";
  if (!given.default) {
    errors.push(field.required(path.child("default"), `required when ${part} is defined`));
    return;
  }
  const usual = amount(given.default);
  if (validRange === undefined) values(errors, usual, capacity, validValues.map(amount), path.child(part));
  else range(errors, usual, capacity, validRange, path.child(part));
}

function values(errors: Errors, usual: Quantity, capacity: Quantity, list: readonly Quantity[], path: Path): void {
  for (const [index, value] of list.entries()) {
    const before = list[index - 1];
    if (before === undefined || before.cmp(value) <= 0) continue;
    errors.push(field.invalid(path.index(index), value.toString(), "values must be sorted in ascending order"));
  }
  let hasUsual = false;
  each(
    errors,
    list,
    VALUES_MAX,
    path,
    (value, at) => {
      if (value.cmp(capacity) > 0) {
        errors.push(field.invalid(at, value.toString(), `option is larger than capacity value: ${capacity}`));
      }
      if (value.cmp(usual) === 0) hasUsual = true;
    },
    (value) => String(value.value()),
  );
  if (hasUsual) return;
  errors.push(field.invalid(path, usual.toString(), "default value is not valid according to the requestPolicy"));
}

function range(
  errors: Errors,
  usual: Quantity,
  capacity: Quantity,
  given: CapacityRequestPolicyRange,
  path: Path,
): void {
  const refuse = (part: string, value: Quantity, detail: string): void => {
    errors.push(field.invalid(path.child(part), value.toString(), detail));
  };
  if (!given.min) {
    errors.push(field.required(path.child("min"), "required when validRange is defined"));
    return;
  }
  const min = amount(given.min);
  if (min.cmp(capacity) > 0) refuse("min", min, `min is larger than capacity value: ${capacity}`);
  if (usual.cmp(min) < 0) refuse("min", usual, `default is less than min: ${min}`);
  const max = given.max ? amount(given.max) : undefined;
  if (max !== undefined) {
    if (min.cmp(max) > 0) refuse("max", min, `min is larger than max: ${max}`);
    if (max.cmp(capacity) > 0) refuse("max", max, `max is larger than capacity value: ${capacity}`);
    if (usual.cmp(max) > 0) refuse("max", usual, `default is more than max: ${max}`);
  }
  if (!given.step) return;
  const step = amount(given.step);
  const next = min.add(step);
  if (next.cmp(capacity) > 0) {
    refuse("step", step, `one step ${next} is larger than capacity value: ${capacity}`);
  }
  for (const value of max === undefined ? [usual] : [usual, max]) {
    if ((value.scaledInt64(0) - min.scaledInt64(0)) % step.scaledInt64(0) === 0n) continue;
    refuse("step", value, `value is not a multiple of a given step (${step}) from (${min})`);
  }
}
