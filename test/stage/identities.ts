// Which controllers of a cast are written, and as whom they act.

import { knownControllers } from "#kit/known-controllers.ts";
import { unwrittenControllers } from "#manager/registry.ts";
import { type Cast, casts } from "./casts.ts";
import type { Scenario } from "./scenario.ts";

/** The names of the written controllers of a cast, and of the others. */
export function membersOf(cast: Cast): { readonly written: readonly string[]; readonly unwritten: readonly string[] } {
  const missing = new Set(unwrittenControllers());
  const { controllers } = casts[cast];
  return {
    written: controllers.filter((name) => !missing.has(name)),
    unwritten: controllers.filter((name) => missing.has(name)),
  };
}

/**
 * The identities whose requests are compared: of the scenario's controller and of those that it names. What the rest of
 * the cast does is compared by the scenarios of its own.
 */
export function comparedIdentities({ controller, alsoCompared = [] }: Scenario): ReadonlySet<string> {
  return identitiesOf([controller, ...alsoCompared]);
}

/** The same without controllers that are not written: those are Go's on every stage. */
export function writtenIdentities(scenario: Scenario): ReadonlySet<string> {
  const { written } = membersOf(scenario.cast);
  return comparedIdentities(scenario).intersection(identitiesOf(written));
}

/** Whether a write asks for the token of a controller of the cast. */
export function isTokenOf(cast: Cast, label: string): boolean {
  const account = /^create \/api\/v1\/namespaces\/kube-system\/serviceaccounts\/([^/]+)\/token$/.exec(label)?.[1];
  return account !== undefined && identitiesOf(casts[cast].controllers).has(account);
}

function identitiesOf(controllers: readonly string[]): ReadonlySet<string> {
  return new Set(knownControllers.filter(({ name }) => controllers.includes(name)).map(({ identity }) => identity));
}
