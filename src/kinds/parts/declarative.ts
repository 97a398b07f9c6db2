// Checks that upstream generates from the tags of its types. An update does not check unchanged fields again.
// Upstream: k8s.io/apimachinery/pkg/api/validate.

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { Int64 } from "#api/int64.ts";
import { isDns1123Label, isDns1123Subdomain, isQualifiedName, type NameCheck, regexMessage } from "#api/names.ts";
import { type Errors, IMMUTABLE, name, type Path } from "./checks.ts";

/** A value and its old value; `old` is undefined on creation. */
export interface Change<T> {
  readonly value: T;
  readonly old: T | undefined;
  readonly isUpdate: boolean;
}

/** Runs the check unless an update left the value unchanged. */
export function whereChanged<T>(change: Change<T>, check: (value: T) => void): void {
  if (!change.isUpdate || !semanticEqual(change.value, change.old)) check(change.value);
}

/** A field that an update must not change. True if it did. */
export function immutable<T>(errors: Errors, change: Change<T>, path: Path): boolean {
  if (!change.isUpdate || semanticEqual(change.value, change.old)) return false;
  errors.push(field.invalid(path, null, IMMUTABLE));
  return true;
}

export function minimum(errors: Errors, value: Int64 | undefined, path: Path, min: number): void {
  if (value !== undefined && value < min) {
    errors.push(field.invalid(path, value, `must be greater than or equal to ${min}`));
  }
}

export function maximum(errors: Errors, value: Int64 | undefined, path: Path, max: number): void {
  if (value !== undefined && value > max) {
    errors.push(field.invalid(path, value, `must be less than or equal to ${max}`));
  }
}

/** True if there are too many items. */
export function maxItems(errors: Errors, list: readonly unknown[], path: Path, max: number): boolean {
  if (list.length <= max) return false;
  errors.push(field.tooMany(path, list.length, max));
  return true;
}

/** Reports items that repeat an earlier one. */
export function unique<T>(errors: Errors, list: readonly T[], path: Path, keyOf: (item: T) => unknown): void {
  const seen = new Set<unknown>();
  for (const [index, item] of list.entries()) {
    if (seen.has(keyOf(item))) errors.push(field.duplicate(path.index(index), item));
    seen.add(keyOf(item));
  }
}

/** Exactly one of the members must be set. An update that sets the same members as before is not checked. */
export function union<T extends object>(
  errors: Errors,
  { value, old, isUpdate }: Change<T>,
  path: Path,
  members: readonly (keyof T & string)[],
): void {
  const setOf = (object: T | undefined): readonly string[] =>
    members.filter((member) => object?.[member] !== undefined && object[member] !== null);
  const given = setOf(value);
  if (isUpdate && old !== undefined && given.join() === setOf(old).join()) return;
  const all = members.map((member) => `\`${member}\``).join(", ");
  if (given.length === 0) errors.push(field.invalid(path, "", `must specify one of: ${all}`));
  if (given.length > 1) {
    errors.push(field.invalid(path, `{${given.join(", ")}}`, `must specify exactly one of: ${all}`));
  }
}

/** These checks count bytes; the older checks with the same names count characters. */
const inBytes =
  (check: NameCheck): NameCheck =>
  (value) =>
    check(value).map((why) => why.replace(/^(must be no more than \d+) characters$/, "$1 bytes"));

export const isShortName: NameCheck = inBytes(isDns1123Label);
export const isLongName: NameCheck = inBytes(isDns1123Subdomain);
export const isLabelKey: NameCheck = inBytes(isQualifiedName);

export const longName = (errors: Errors, value: string, path: Path): void => name(errors, value, path, isLongName);

const SUBDOMAIN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const CASELESS =
  "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

/** Names of drivers. */
export const isCaselessSubdomain: NameCheck = (value) => [
  ...(value.length > 253 ? ["must be no more than 253 bytes"] : []),
  ...(new RegExp(`^${SUBDOMAIN}$`, "i").test(value) ? [] : [regexMessage(CASELESS, SUBDOMAIN, "Example.com")]),
];

/** Names of resource pools: subdomains joined by slashes. */
export function resourcePoolName(errors: Errors, value: string, path: Path): void {
  if (value.length > 253) errors.push(field.tooLong(path, 253));
  for (const [index, part] of value.split("/").entries()) {
    if (part === "") errors.push(field.invalid(path, value, `segment ${index}: must not be empty`));
    else for (const why of isLongName(part)) errors.push(field.invalid(path, part, `segment ${index}: ${why}`));
  }
}
