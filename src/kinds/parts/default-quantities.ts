// Quantities are rounded up to thousandths.
// Upstream: pkg/apis/core/v1/defaults.go, SetDefaults_ResourceList

import { ValueError } from "#api/errors.ts";
import { MILLI } from "#api/quantity.ts";
import { parseQuantity } from "#api/quantity-parser.ts";
import { all, isObject, type Rule, set } from "./defaulting.ts";

// Integers with these suffixes have no part below a thousandth.
const EXACT = /^[+-]?[0-9]+(m|[kMGTPE]|[KMGTPE]i)?$/;

function roundUp(value: unknown): unknown {
  if (typeof value !== "string" || EXACT.test(value)) return value;
  try {
    return parseQuantity(value).roundUp(MILLI).toString();
  } catch (error) {
    // Decoding refuses invalid quantities; defaulting leaves them unchanged.
    if (error instanceof ValueError) return value;
    throw error;
  }
}

/** A map of quantities. */
export function quantities(field: string): Rule {
  return (object, _, isCopy) => {
    const map = object[field];
    if (!isObject(map)) return object;
    let rounded: [string, unknown][] | undefined;
    for (const name in map) {
      const value = roundUp(map[name]);
      if (value === map[name]) continue;
      rounded ??= Object.entries(map);
      for (const entry of rounded) if (entry[0] === name) entry[1] = value;
    }
    return rounded === undefined ? object : set(object, field, Object.fromEntries(rounded), isCopy);
  };
}

export const resources: Rule = all(quantities("limits"), quantities("requests"));
