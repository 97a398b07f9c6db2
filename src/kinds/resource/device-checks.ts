// Checks that claims, slices and taint rules share. Upstream: pkg/apis/resource/validation/validation.go

import * as field from "#api/field-error.ts";
import type { DeviceTaint } from "#api/generated/types/resource-v1.ts";
import { isDns1123Subdomain, isLabelValue, isQualifiedName } from "#api/names.ts";
import { type Errors, name, oneOf, type Path } from "#kinds/parts/checks.ts";

const POOL_NAME_MAX = 253;
const EFFECTS = ["NoExecute", "NoSchedule", "None"];

/** Subdomains, joined by slashes. */
export function poolName(errors: Errors, value: string, path: Path): void {
  if (value === "") {
    errors.push(field.required(path, ""));
    return;
  }
  if (value.length > POOL_NAME_MAX) errors.push(field.tooLong(path, POOL_NAME_MAX));
  for (const part of value.split("/")) name(errors, part, path, isDns1123Subdomain);
}

/** An effect that an update leaves alone may be one that is unknown here. */
export function deviceTaint(errors: Errors, taint: DeviceTaint, old: DeviceTaint | undefined, path: Path): void {
  const { key = "", value = "", effect = "" } = taint;
  name(errors, key, path.child("key"), isQualifiedName);
  if (value !== "") name(errors, value, path.child("value"), isLabelValue);
  if (old !== undefined && (old.effect ?? "") === effect) return;
  if (effect === "") errors.push(field.required(path.child("effect"), ""));
  else oneOf(errors, effect, path.child("effect"), EFFECTS);
}
