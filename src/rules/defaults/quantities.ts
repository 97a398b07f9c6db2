// Amounts of resources are kept to the thousandth: smaller parts are rounded up.
// Upstream: pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList

import { ValueError } from "#api/errors.ts";
import { MILLI } from "#api/quantity.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import { all, isObject, type Rule, set } from "./combinators.ts";

// Whole numbers with these suffixes have no part below a thousandth.
const EXACT = /^[+-]?[0-9]+(m|[kMGTPE]|[KMGTPE]i)?$/;

function roundUp(value: unknown): unknown {
  if (typeof value !== "string" || EXACT.test(value)) return value;
  try {
    return parseQuantity(value).roundUp(MILLI).toString();
  } catch (error) {
    // Decoding refuses what is not a quantity; defaulting leaves it as it is.
    if (error instanceof ValueError) return value;
    throw error;
  }
}

/** A map of amounts. */
export function quantities(field: string): Rule {
  return (object) => {
    const map = object[field];
    if (!isObject(map)) return object;
    let changed = false;
    const entries = Object.entries(map).map(([name, value]) => {
      const rounded = roundUp(value);
      changed ||= rounded !== value;
      return [name, rounded] as const;
    });
    return changed ? set(object, field, Object.fromEntries(entries)) : object;
  };
}

export const resources: Rule = all(quantities("limits"), quantities("requests"));
