// Checks that claims, classes, slices and taint rules share. Upstream: pkg/apis/resource/validation/validation.go

import * as field from "#api/field-error.ts";
import type { DeviceTaint, DeviceToleration, OpaqueDeviceConfiguration } from "#api/generated/types/resource-v1.ts";
import { byteLength, goJson, goQuote } from "#api/go-text.ts";
import { isCIdentifier, isDns1123Subdomain, isLabelValue, isQualifiedName } from "#api/names.ts";
import { type Errors, name, oneOf, type Path, qualifiedName, requiredOneOf } from "#kinds/parts/checks.ts";
import { maxItems } from "#kinds/parts/declarative.ts";
import { csiDriverName } from "#kinds/pod-spec/volume-sources.ts";

const POOL_NAME_MAX = 253;
const ID_MAX = 32;
const CONDITIONS_MAX = 4;
const PARAMETERS_BYTES_MAX = 10 * 1024;
const EFFECTS = ["NoExecute", "NoSchedule", "None"];
const OMITTED = "<value omitted>";

/** Checks each item, unless there are too many. With a key, items must be unique. A negative `max` means no limit. */
export function each<T>(
  errors: Errors,
  list: readonly T[] | null | undefined,
  max: number,
  path: Path,
  check: (item: T, path: Path) => void,
  keyOf?: (item: T) => unknown,
): void {
  if (!list || (max >= 0 && maxItems(errors, list, path, max))) return;
  for (const [index, item] of list.entries()) check(item, path.index(index));
  if (keyOf === undefined) return;
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const key = keyOf(item);
    const text = JSON.stringify(key);
    if (seen.has(text)) errors.push(field.duplicate(path.index(index), key));
    seen.add(text);
  }
}

/** Subdomains joined by slashes. */
export function poolName(errors: Errors, value: string, path: Path): void {
  if (value === "") {
    errors.push(field.required(path, ""));
    return;
  }
  if (value.length > POOL_NAME_MAX) errors.push(field.tooLong(path, POOL_NAME_MAX));
  for (const part of value.split("/")) name(errors, part, path, isDns1123Subdomain);
}

/** An unchanged effect may be unknown to this version. */
export function deviceTaint(errors: Errors, taint: DeviceTaint, old: DeviceTaint | undefined, path: Path): void {
  const { key = "", value = "", effect = "" } = taint;
  name(errors, key, path.child("key"), isQualifiedName);
  if (value !== "") name(errors, value, path.child("value"), isLabelValue);
  if (old !== undefined && (old.effect ?? "") === effect) return;
  requiredOneOf(errors, effect, path.child("effect"), EFFECTS);
}

export function deviceToleration(errors: Errors, toleration: DeviceToleration, path: Path): void {
  const { key = "", operator = "", value = "", effect = "" } = toleration;
  if (key !== "") qualifiedName(errors, key, path.child("key"));
  if (operator === "Equal") name(errors, value, path.child("value"), isLabelValue);
  else if (operator !== "Exists") requiredOneOf(errors, operator, path.child("operator"), ["Equal", "Exists"]);
  else if (value !== "") errors.push(field.invalid(path.child("value"), value, "must be empty for operator `Exists`"));
  if (effect !== "") oneOf(errors, effect, path.child("effect"), EFFECTS);
}

/**
 * Name of an attribute or capacity: an identifier with an optional domain. Names with more than two parts are not
 * checked.
 */
export function attributeName(errors: Errors, value: string, path: Path): void {
  const [first = "", second, ...rest] = value.split("/");
  if (rest.length > 0) return;
  if (second === undefined) {
    identifier(errors, first, path);
    return;
  }
  if (first === "") errors.push(field.invalid(path, "", "the domain must not be empty"));
  else csiDriverName(errors, first, path);
  if (second === "") errors.push(field.invalid(path, "", "the name must not be empty"));
  else identifier(errors, second, path);
}

export function fullAttributeName(errors: Errors, value: string, path: Path): void {
  attributeName(errors, value, path);
  if (value.includes("/")) return;
  errors.push(field.invalid(path, value, "a fully qualified name must be a domain and a name separated by a slash"));
}

function identifier(errors: Errors, value: string, path: Path): void {
  if (byteLength(value) > ID_MAX) errors.push(field.tooLong(path, ID_MAX));
  name(errors, value, path, isCIdentifier);
}

/** Binding conditions and binding failure conditions: both or none, without duplicates. */
export function bindingConditions(
  errors: Errors,
  conditions: readonly string[] | undefined,
  failures: readonly string[] | undefined,
  path: Path,
): void {
  const [at, failuresAt] = [path.child("bindingConditions"), path.child("bindingFailureConditions")];
  const check = (value: string, itemPath: Path): void => qualifiedName(errors, value, itemPath);
  each(errors, conditions, CONDITIONS_MAX, at, check);
  each(errors, failures, CONDITIONS_MAX, failuresAt, check);
  noneTwice(errors, conditions ?? [], at);
  const seen = new Set<string>();
  for (const [index, value] of (failures ?? []).entries()) {
    if (seen.has(value)) errors.push(field.duplicate(failuresAt.index(index), value));
    seen.add(value);
    if (conditions?.includes(value) !== true) continue;
    const detail = "bindingFailureConditions must not overlap with bindingConditions";
    errors.push(field.invalid(failuresAt.index(index), value, detail));
  }
  const [count, failureCount] = [conditions?.length ?? 0, failures?.length ?? 0];
  if (count === 0 && failureCount > 0) {
    const detail = "bindingConditions are required to use bindingFailureConditions";
    errors.push(field.invalid(at, conditions ?? null, detail));
  }
  if (failureCount === 0 && count > 0) {
    const detail = "bindingFailureConditions are required to use bindingConditions";
    errors.push(field.invalid(failuresAt, failures ?? null, detail));
  }
}

function noneTwice(errors: Errors, list: readonly string[], path: Path): void {
  for (const [index, value] of list.entries()) {
    if (list.indexOf(value) < index) errors.push(field.duplicate(path.index(index), value));
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const NORMAL_FORM =
  "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

export function shareId(errors: Errors, value: string, path: Path): void {
  const problem = uuidProblem(value);
  if (problem !== undefined) errors.push(field.invalid(path, value, `error validating uid: ${problem}`));
  else if (value.length !== 36 || value !== value.toLowerCase()) errors.push(field.invalid(path, value, NORMAL_FORM));
}

/** Upstream: github.com/google/uuid, Validate */
function uuidProblem(value: string): string | undefined {
  let text = value;
  switch (byteLength(value)) {
    case 36:
      break;
    case 45:
      if (value.slice(0, 9).toLowerCase() !== "urn:uuid:") return `invalid urn prefix: ${goQuote(value.slice(0, 9))}`;
      text = value.slice(9);
      break;
    case 38:
      if (!value.startsWith("{") || !value.endsWith("}")) return "invalid bracketed UUID format";
      text = value.slice(1, -1);
      break;
    case 32:
      return /^[0-9a-f]{32}$/i.test(value) ? undefined : "invalid UUID format";
    default:
      return `invalid UUID length: ${byteLength(value)}`;
  }
  return UUID.test(text) ? undefined : "invalid UUID format";
}

/** A JSON object for a driver. Objects stored before there was a limit may be longer. */
export function rawObject(errors: Errors, value: unknown, path: Path, isStored: boolean): void {
  if (value === undefined || value === null) errors.push(field.required(path, ""));
  else if (!isStored && byteLength(goJson(value)) > PARAMETERS_BYTES_MAX) {
    errors.push(field.tooLong(path, PARAMETERS_BYTES_MAX));
  } else if (typeof value !== "object" || Array.isArray(value)) {
    errors.push(field.invalid(path, OMITTED, "must be a valid JSON object"));
  }
}

/** The configuration of devices for their driver. */
export function configuration(
  errors: Errors,
  { opaque }: { readonly opaque?: OpaqueDeviceConfiguration },
  path: Path,
  isStored: boolean,
): void {
  const at = path.child("opaque");
  if (opaque === undefined) {
    errors.push(field.required(at, ""));
    return;
  }
  csiDriverName(errors, opaque.driver ?? "", at.child("driver"));
  rawObject(errors, opaque.parameters, at.child("parameters"), isStored);
}
