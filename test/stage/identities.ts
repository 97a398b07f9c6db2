// Which controllers of a cast are written, and as whom they act.

import { knownControllers } from "#kit/known-controllers.ts";
import { unwrittenControllers } from "#manager/registry.ts";
import { type Cast, casts } from "./casts.ts";

/** The names of the written controllers of a cast, and of the others. */
export function membersOf(cast: Cast): { readonly written: readonly string[]; readonly unwritten: readonly string[] } {
  const missing = new Set(unwrittenControllers());
  const { controllers } = casts[cast];
  return {
    written: controllers.filter((name) => !missing.has(name)),
    unwritten: controllers.filter((name) => missing.has(name)),
  };
}

/** The identities of the written controllers of a cast: theirs are the requests that are compared. */
export function writtenIdentities(cast: Cast): ReadonlySet<string> {
  const { written } = membersOf(cast);
  return new Set(knownControllers.filter(({ name }) => written.includes(name)).map(({ identity }) => identity));
}
