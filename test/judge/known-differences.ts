// Accepted differences between the servers' answers to fuzzed requests, each with its reason. An unlisted difference
// fails the test, and so does a listed one that no longer occurs with the fixed seeds.

import type { Disagreement } from "./fuzz.ts";

export interface KnownDifference {
  readonly reason: string;
  /** Matches the request: method, target, headers and body. */
  readonly call: RegExp;
  /** Matches the difference: "status: embedded 400, real 404". */
  readonly what: RegExp;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: "an empty list in a request is none, so the refusal of a change prints null where upstream prints []",
    call: /^PATCH \S+\/persistentvolumeclaims\/.*"accessModes":\[\]/,
    what: /^body\.details\.causes\.\d+\.message: .*"AccessModes\\": null/s,
  },
];

export function classOf({ call, what }: Disagreement): KnownDifference | undefined {
  return knownDifferences.find((known) => known.call.test(call) && known.what.test(what));
}
