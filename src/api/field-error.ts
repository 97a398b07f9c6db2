// Errors of validation: a path, the problem, and upstream's text. Import it as a namespace: `import * as field from
// "#api/field-error.ts"`; field.required(path, "").
// Upstream: k8s.io/apimachinery/pkg/util/validation/field

import { goJson, goQuote } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";

export { aggregateText } from "#base/errors.ts";

type PathStep = "root" | "field" | "element";

/**
 * A place in an object, such as spec.containers[0].name or metadata.labels[key]. Checks create hundreds of paths for a
 * valid object, so the text is built only when it is printed.
 */
export class FieldPath {
  readonly #name: string | number;
  readonly #step: PathStep;
  readonly #parent: FieldPath | undefined;
  constructor(name: string | number, step: PathStep = "root", parent?: FieldPath) {
    this.#name = name;
    this.#step = step;
    this.#parent = parent;
  }
  child(name: string, second?: string, third?: string, fourth?: string): FieldPath {
    let path = new FieldPath(name, "field", this);
    if (second !== undefined) path = new FieldPath(second, "field", path);
    if (third !== undefined) path = new FieldPath(third, "field", path);
    return fourth === undefined ? path : new FieldPath(fourth, "field", path);
  }
  index(index: number): FieldPath {
    return new FieldPath(index, "element", this);
  }
  key(key: string): FieldPath {
    return new FieldPath(key, "element", this);
  }
  toString(): string {
    let text = "";
    for (let path: FieldPath | undefined = this; path !== undefined; path = path.#parent) text = path.#text() + text;
    return text;
  }
  #text(): string {
    if (this.#step === "element") return `[${this.#name}]`;
    return this.#step === "field" ? `.${this.#name}` : String(this.#name);
  }
}

/** field.NewPath: a root path, and names below it. */
export function newPath(name: string, ...names: readonly string[]): FieldPath {
  let path = new FieldPath(name);
  for (const below of names) path = path.child(below);
  return path;
}

/** A child of a path that may be missing: the name is then a root. */
export function childOf(path: FieldPath | undefined, name: string): FieldPath {
  return path === undefined ? new FieldPath(name) : path.child(name);
}

const DESCRIPTIONS = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTooFew: "Too few",
  InternalError: "Internal error",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueTooShort: "Too short",
} as const;

export type FieldErrorType = keyof typeof DESCRIPTIONS;

export interface FieldError {
  readonly type: FieldErrorType;
  /** The printed path; "<nil>" where upstream has none. */
  readonly field: string;
  /** Absent: printed without a value. */
  readonly badValue?: unknown;
  readonly detail: string;
}

type Path = FieldPath | undefined;

function fieldError(type: FieldErrorType, path: Path, detail: string): FieldError {
  return { type, field: path === undefined ? "<nil>" : path.toString(), detail };
}

export const notFound = (path: Path, badValue: unknown): FieldError => ({
  ...fieldError("FieldValueNotFound", path, ""),
  badValue,
});
export const required = (path: Path, detail: string): FieldError => fieldError("FieldValueRequired", path, detail);
export const duplicate = (path: Path, badValue: unknown): FieldError => ({
  ...fieldError("FieldValueDuplicate", path, ""),
  badValue,
});
export const invalid = (path: Path, badValue: unknown, detail: string): FieldError => ({
  ...fieldError("FieldValueInvalid", path, detail),
  badValue,
});
/** Go's OmitValueType: printed without a value. */
export const invalidWithoutValue = (path: Path, detail: string): FieldError =>
  fieldError("FieldValueInvalid", path, detail);
export const typeInvalid = (path: Path, badValue: unknown, detail: string): FieldError => ({
  ...fieldError("FieldValueTypeInvalid", path, detail),
  badValue,
});
export const forbidden = (path: Path, detail: string): FieldError => fieldError("FieldValueForbidden", path, detail);
export const internalError = (path: Path, message: string): FieldError => fieldError("InternalError", path, message);

export function notSupported(path: Path, badValue: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length > 0 ? `supported values: ${supported.map(goQuote).join(", ")}` : "";
  return { ...fieldError("FieldValueNotSupported", path, detail), badValue };
}

function plural(count: Int64, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}

/** A negative maximum means that it is unknown. */
export function tooLong(path: Path, maxBytes: Int64): FieldError {
  const detail = maxBytes >= 0 ? `may not be more than ${plural(maxBytes, "byte")}` : "value is too long";
  return fieldError("FieldValueTooLong", path, detail);
}

export function tooLongCharacters(path: Path, max: number): FieldError {
  const detail = max >= 0 ? `may not be more than ${plural(max, "character")}` : "value is too long";
  return fieldError("FieldValueTooLong", path, detail);
}

export function tooShort(path: Path, min: number): FieldError {
  const detail = min >= 0 ? `must be at least ${plural(min, "character")}` : "value is too short";
  return fieldError("FieldValueTooShort", path, detail);
}

/** A negative actual count is left out of the text. */
export function tooMany(path: Path, actual: number, max: Int64): FieldError {
  const detail = max >= 0 ? `must have at most ${plural(max, "item")}` : "has too many items";
  const error = fieldError("FieldValueTooMany", path, detail);
  return actual >= 0 ? { ...error, badValue: actual } : error;
}

export function tooFew(path: Path, actual: number, min: number): FieldError {
  const detail = min >= 0 ? `must have at least ${plural(min, "item")}` : "has too few items";
  return { ...fieldError("FieldValueTooFew", path, detail), badValue: actual };
}

/** The same errors with a longer detail. */
export function prefixDetail(errors: readonly FieldError[], prefix: string): FieldError[] {
  return errors.map((error) => ({ ...error, detail: prefix + error.detail }));
}

/** The text without the path, for a StatusCause. */
export function errorBody(error: FieldError): string {
  let text: string = DESCRIPTIONS[error.type];
  if ("badValue" in error) text += `: ${printValue(error.badValue)}`;
  return error.detail === "" ? text : `${text}: ${error.detail}`;
}

function printValue(value: unknown): string {
  return typeof value === "string" ? goQuote(value) : goJson(value);
}

export function errorText(error: FieldError): string {
  return `${error.field}: ${errorBody(error)}`;
}
