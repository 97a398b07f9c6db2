// Whether a pod may be where a taint is.
// Upstream: k8s.io/component-helpers/scheduling/corev1/helpers.go; k8s.io/api/core/v1/toleration.go

import type { Taint, Toleration } from "#api/generated/types/core-v1.ts";

/** An empty key or effect stands for all; without an operator the values must be equal. */
export function tolerates(
  { key = "", operator = "Equal", value = "", effect = "" }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  switch (operator || "Equal") {
    case "Exists":
      return true;
    case "Equal":
      return value === (taint.value ?? "");
    default:
      return false;
  }
}
