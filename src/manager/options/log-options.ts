// The rules of the logging flags. Upstream: k8s.io/component-base/logs/api/v1/options.go, Validate.

import * as field from "#api/field-error.ts";
import { formatDuration } from "#api/go-duration.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import type { FeatureGates } from "#base/feature-gates.ts";
import type { LogOptions } from "./options.ts";

const formats: readonly string[] = ["text", "json"];
const ALPHA_GATE = "LoggingAlphaOptions";

export function validateLogs(logs: LogOptions, gates: FeatureGates): readonly string[] {
  const errors: field.FieldError[] = [];
  if (logs.flushFrequency <= 0n) {
    const shown = formatDuration(logs.flushFrequency);
    errors.push(field.invalid(field.newPath("flushFrequency"), shown, "Must be greater than zero"));
  }
  if (!formats.includes(logs.format)) {
    errors.push(field.invalid(field.newPath("format"), logs.format, "Unsupported log format"));
  }
  if (logs.moduleLevels.length > 0 && logs.format !== "text" && logs.format !== "") {
    errors.push(field.forbidden(field.newPath("vmodule"), "Only supported for text log format"));
  }
  const alpha: readonly (readonly [boolean, string, string])[] = [
    [logs.textSplitStream, "text", "splitStream"],
    [bufferBytes(logs.textInfoBufferSize) !== 0, "text", "infoBufferSize"],
    [logs.jsonSplitStream, "json", "splitStream"],
    [bufferBytes(logs.jsonInfoBufferSize) !== 0, "json", "infoBufferSize"],
  ];
  for (const [isUsed, format, name] of alpha) {
    if (!isUsed || gates.isEnabled(ALPHA_GATE)) continue;
    errors.push(field.forbidden(field.newPath("options", format, name), `Feature ${ALPHA_GATE} is disabled`));
  }
  return errors.map(field.errorText);
}

/** A quantity in whole bytes. */
export function bufferBytes(quantity: string): number {
  return Number(parseQuantity(quantity).value());
}
