// Resource versions are compared as unbounded positive integers; anything else has no order.
// Upstream: k8s.io/apimachinery/pkg/util/resourceversion

import { ValueError } from "#api/errors.ts";

const WELL_FORMED = /^[1-9][0-9]*$/;

export function isComparableResourceVersion(version: string): boolean {
  return WELL_FORMED.test(version);
}

/** -1, 0 or 1. Throws a ValueError when either is not a positive integer without leading zeros; "0" is not. */
export function compareResourceVersions(a: string, b: string): -1 | 0 | 1 {
  for (const version of [a, b]) {
    if (!WELL_FORMED.test(version)) {
      throw new ValueError("resourceVersion", `resource version is not well formed: ${version}`);
    }
  }
  if (a.length !== b.length) return a.length < b.length ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
