// Whether a pod tolerates a taint.
// Upstream: k8s.io/component-helpers/scheduling/corev1/helpers.go; k8s.io/api/core/v1/toleration.go

import type { Taint, Toleration } from "#api/generated/types/core-v1.ts";
import { parseInt64 } from "#api/go-text.ts";

/**
 * An empty key or effect matches all; without an operator the values must be equal. Lt and Gt compare integers, with
 * the gate TaintTolerationComparisonOperators.
 */
export function tolerates(
  { key = "", operator = "Equal", value = "", effect = "" }: Toleration,
  taint: Taint,
  comparesIntegers = false,
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator || "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return value === (taint.value ?? "");
    case "Lt":
    case "Gt":
      return comparesIntegers && isBeyond(taint.value ?? "", value, operator);
    default:
      return false;
  }
}

function isBeyond(taintValue: string, value: string, operator: string): boolean {
  if (!isDecimalInteger(taintValue) || !isDecimalInteger(value)) return false;
  const [left, right] = [parseInt64(taintValue), parseInt64(value)];
  if (!("value" in left && "value" in right)) return false;
  return operator === "Lt" ? left.value < right.value : left.value > right.value;
}

/** Without a plus sign and leading zeros. */
function isDecimalInteger(text: string): boolean {
  return /^(0|-?[1-9][0-9]*)$/.test(text);
}
