// Tolerations and taints. Upstream: pkg/apis/core/validation, ValidateTolerations, validateNodeTaints

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { parseInt64 } from "#api/go-text.ts";
import { EMPTY, isLabelValue } from "#api/names.ts";
import { type Errors, type Path, qualifiedName, requiredOneOf } from "#kinds/parts/checks.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";

const EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export interface TolerationOptions {
  readonly allowComparisonTolerations: boolean;
}

export function tolerations(
  errors: Errors,
  list: readonly core.Toleration[],
  path: Path,
  opts: TolerationOptions,
): void {
  list.forEach((toleration, i) => {
    const at = path.index(i);
    const { key = "", operator = "", effect = "" } = toleration;
    if (key !== "") qualifiedName(errors, key, at.child("key"));
    if (key === "" && operator !== "Exists") {
      const detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(field.invalid(at.child("operator"), operator, detail));
    }
    if (toleration.tolerationSeconds !== undefined && effect !== "NoExecute") {
      errors.push(
        field.invalid(at.child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
      );
    }
    tolerationValue(errors, operator, toleration.value ?? "", at, opts);
    if (effect !== "" && !EFFECTS.includes(effect))
      errors.push(field.notSupported(at.child("effect"), effect, EFFECTS));
  });
}

function tolerationValue(errors: Errors, operator: string, value: string, path: Path, opts: TolerationOptions): void {
  switch (operator) {
    case "":
    case "Equal": {
      const messages = isLabelValue(value);
      if (messages.length > 0) errors.push(field.invalid(path.child("operator"), value, messages.join(";")));
      return;
    }
    case "Exists":
      if (value !== "") {
        errors.push(field.invalid(path.child("operator"), value, "value must be empty when `operator` is 'Exists'"));
      }
      return;
    case "Lt":
    case "Gt":
      if (!opts.allowComparisonTolerations) {
        errors.push(field.notSupported(path.child("operator"), operator, ["Equal", "Exists", "Lt", "Gt"]));
      } else decimalInteger(errors, value, path.child("value"));
      return;
    default:
      errors.push(field.notSupported(path.child("operator"), operator, ["Equal", "Exists"]));
  }
}

function decimalInteger(errors: Errors, value: string, path: Path): void {
  if (!/^(0|-?[1-9][0-9]*)$/.test(value)) {
    const detail = value === "" ? EMPTY : "must be a valid decimal integer in canonical form";
    errors.push(field.invalid(path, value, detail));
  }
  const parsed = parseInt64(value);
  if ("error" in parsed) errors.push(field.invalid(path, value, parsed.error));
}

export function taints(errors: Errors, list: readonly core.Taint[], path: Path): void {
  const seen = new Set<string>();
  list.forEach((taint, i) => {
    const at = path.index(i);
    const { key = "", value = "", effect = "" } = taint;
    qualifiedName(errors, key, at.child("key"));
    const messages = isLabelValue(value);
    if (messages.length > 0) errors.push(field.invalid(at.child("value"), value, messages.join(";")));
    requiredOneOf(errors, effect, at.child("effect"), EFFECTS);
    const pair = `${effect}\0${key}`;
    if (seen.has(pair)) {
      const detail = "taints must be unique by key and effect pair";
      errors.push({ ...field.duplicate(at, internalForm("Taint", taint)), detail });
    }
    seen.add(pair);
  });
}
