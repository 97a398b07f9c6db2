// Paths inside volumes and containers. Upstream: pkg/apis/core/validation, validateLocalDescendingPath and neighbours

import * as field from "#api/field-error.ts";
import type { Errors, Path } from "#kinds/parts/checks.ts";

export const hasBacksteps = (path: string): boolean => path.includes("..") && path.split("/").includes("..");

export function noBacksteps(errors: Errors, value: string, path: Path): void {
  if (hasBacksteps(value)) errors.push(field.invalid(path, value, "must not contain '..'"));
}

export function descendingPath(errors: Errors, value: string, path: Path): void {
  if (value.startsWith("/")) errors.push(field.invalid(path, value, "must be a relative path"));
  noBacksteps(errors, value, path);
}

export function nonReservedPath(errors: Errors, value: string, path: Path): void {
  descendingPath(errors, value, path);
  if (value.startsWith("..") && !value.startsWith("../")) {
    errors.push(field.invalid(path, value, "must not start with '..'"));
  }
}

export function fileMode(errors: Errors, mode: number | undefined, path: Path): void {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) {
    errors.push(field.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
  }
}
