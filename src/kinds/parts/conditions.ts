// Conditions of metav1. Upstream: apimachinery pkg/apis/meta/v1/validation, ValidateConditions

import * as field from "#api/field-error.ts";
import { byteLength } from "#api/go-text.ts";
import type { Condition } from "#api/meta.ts";
import { regexMessage } from "#api/names.ts";
import { type Errors, oneOf, type Path, qualifiedName } from "./checks.ts";

const REASON = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";

const reasonRegex = new RegExp(`^${REASON}$`);

const REASON_MESSAGE =
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";

const REASON_EXAMPLES = ["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"];
const REASON_BYTES_MAX = 1024;
const MESSAGE_BYTES_MAX = 32 * 1024;

export function conditions(errors: Errors, list: readonly Condition[], path: Path): void {
  const seen = new Set<string>();
  list.forEach(({ type = "", status, observedGeneration = 0, lastTransitionTime, reason = "", message = "" }, i) => {
    const at = path.index(i);
    if (seen.has(type)) errors.push(field.duplicate(at.child("type"), type));
    seen.add(type);
    qualifiedName(errors, type, at.child("type"));
    oneOf(errors, status, at.child("status"), ["False", "True", "Unknown"]);
    if (observedGeneration < 0) {
      const detail = "must be greater than or equal to zero";
      errors.push(field.invalid(at.child("observedGeneration"), observedGeneration, detail));
    }
    if (!lastTransitionTime) errors.push(field.required(at.child("lastTransitionTime"), ""));
    if (reason === "") errors.push(field.required(at.child("reason"), ""));
    else if (!reasonRegex.test(reason)) {
      const detail = regexMessage(REASON_MESSAGE, REASON, ...REASON_EXAMPLES);
      errors.push(field.invalid(at.child("reason"), reason, detail));
    }
    if (byteLength(reason) > REASON_BYTES_MAX) errors.push(field.tooLong(at.child("reason"), REASON_BYTES_MAX));
    if (byteLength(message) > MESSAGE_BYTES_MAX) errors.push(field.tooLong(at.child("message"), MESSAGE_BYTES_MAX));
  });
}
