// Checks shared by secrets and config maps: the size of the data, and immutability.
// Upstream: pkg/apis/core/validation, ValidateSecret, ValidateConfigMap

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type { Errors } from "#kinds/parts/checks.ts";

export const DATA: field.FieldPath = field.newPath("data");
export const DATA_BYTES_MAX: number = 1024 * 1024;

/** The number of bytes that a base64 text encodes. */
export function decodedLength(base64: string): number {
  const text = base64.replace(/[\r\n]/g, "");
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

const FROZEN = "field is immutable when `immutable` is set";

type Frozen = { readonly immutable?: boolean } & {
  readonly [K in "data" | "binaryData"]?: Readonly<Record<string, string>>;
};

export function frozen(errors: Errors, object: Frozen, old: Frozen, parts: readonly ("data" | "binaryData")[]): void {
  if (!object.immutable) errors.push(field.forbidden(field.newPath("immutable"), FROZEN));
  for (const part of parts) {
    if (!semanticEqual(object[part] ?? {}, old[part] ?? {})) errors.push(field.forbidden(field.newPath(part), FROZEN));
  }
}

export const count = (map: object | undefined): number => Object.keys(map ?? {}).length;
