// The result of validating a value: unique errors, and a count of matches, which selects the best of several
// alternatives. Upstream: k8s.io/kube-openapi/pkg/validation/{errors,validate/result.go}

import * as field from "#api/field-error.ts";
import { goQuote } from "#api/go-text.ts";
import type { Int64 } from "#api/int64.ts";
import { goFormat } from "#api/patch/go-format.ts";
import { stringifyJson } from "#base/json.ts";

type Code = "type" | "required" | "tooLong" | "enum" | "maxItems" | "maxProperties" | "other" | "plain";

export interface SchemaError {
  readonly code: Code;
  /** The path, perhaps with a leading dot; "" for the root. */
  readonly name: string;
  readonly message: string;
  readonly value?: unknown;
  readonly limit?: Int64;
  readonly allowed?: readonly unknown[];
}

export class ValidationResult {
  readonly errors: SchemaError[] = [];
  matchCount = 0;

  get isValid(): boolean {
    return this.errors.length === 0;
  }

  add(error: SchemaError): void {
    if (!this.errors.some(({ message }) => message === error.message)) this.errors.push(error);
  }

  merge(other: ValidationResult): void {
    for (const error of other.errors) this.add(error);
    this.matchCount += other.matchCount;
  }
}

const IN = "in body";

export const plainError = (message: string): SchemaError => ({ code: "plain", name: "", message });

export const typeError = (name: string, type: string, given: string): SchemaError => ({
  code: "type",
  name,
  message: `${name} ${IN} must be of type ${type}: ${goQuote(given)}`,
  value: given,
});

export const requiredError = (name: string): SchemaError => ({
  code: "required",
  name,
  message: `${name} ${IN} is required`,
});

export const enumError = (name: string, value: unknown, allowed: readonly unknown[]): SchemaError => ({
  code: "enum",
  name,
  message: `${name} ${IN} should be one of ${goFormat(allowed)}`,
  value,
  allowed,
});

export const limitError = (
  code: "tooLong" | "maxItems" | "maxProperties",
  name: string,
  text: string,
  limit: Int64,
  value: unknown,
): SchemaError => ({ code, name, message: `${name} ${IN} ${text}`, value, limit });

export const otherError = (name: string, text: string, value?: unknown): SchemaError => ({
  code: "other",
  name,
  message: `${name} ${IN} ${text}`,
  value,
});

/** Upstream: apiextensions-apiserver/pkg/apiserver/validation/validation.go, kubeOpenAPIResultToFieldErrors */
export function fieldErrorsOf(result: ValidationResult, root?: field.FieldPath): field.FieldError[] {
  return result.errors.map((error) => fieldErrorOf(error, root));
}

function fieldErrorOf(error: SchemaError, root: field.FieldPath | undefined): field.FieldError {
  const name = error.name.startsWith(".") ? error.name.slice(1) : error.name;
  const path = name === "" ? root : field.childOf(root, name);
  switch (error.code) {
    case "plain":
      return field.invalid(root, "", error.message);
    case "required":
      return field.required(path, "");
    case "enum":
      return field.notSupported(path, error.value, (error.allowed ?? []).map(enumText));
    case "tooLong":
      return field.tooLong(path, error.limit ?? -1);
    case "maxItems":
    case "maxProperties":
      return field.tooMany(path, error.value as number, error.limit ?? -1);
    case "type":
      return field.typeInvalid(path, error.value ?? "", error.message);
    case "other":
      return field.invalid(path, error.value ?? "", error.message);
  }
}

const enumText = (value: unknown): string => (typeof value === "string" ? value : stringifyJson(value));
