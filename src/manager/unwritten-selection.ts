// Nobody may lose controllers by swapping a binary: a --controllers value that would run one which is not
// written here is refused, with the value to use instead.

import type { FeatureGates } from "#base/feature-gates.ts";
import { knownControllers } from "#kit/known-controllers.ts";
import { isSelected } from "./controller-selection.ts";
import { registeredControllers, unwrittenControllers } from "./registry.ts";

/** Undefined when every selected controller is written. The selection has canonical names. */
export function unwrittenProblem(selection: readonly string[], gates: FeatureGates): string | undefined {
  const unwritten = new Set(unwrittenControllers());
  const missing = knownControllers
    .filter(({ name }) => unwritten.has(name) && isSelected(name, selection))
    // What a gate keeps off would not run in the original either.
    .filter(({ featureGates }) => featureGates.every((gate) => gates.isEnabled(gate)))
    .map(({ name }) => name)
    .sort();
  if (missing.length === 0) return undefined;
  const left = registeredControllers
    .map(({ name }) => name)
    .filter((name) => isSelected(name, selection))
    .sort();
  // A list without '*' and with one exclusion runs nothing but the service account tokens.
  const list = left.length > 0 ? left.join(",") : `-${missing[0]}`;
  return `--controllers includes ${missing.length} that this program does not have yet: ${missing.join(", ")}; to run without them use --controllers=${list}`;
}
