// The identities of the controllers of a cast.

import { knownControllers } from "#kit/known-controllers.ts";
import { type Cast, casts } from "./casts.ts";
import type { Scenario } from "./scenario.ts";

/**
 * The identities whose requests are compared: of the scenario's controller and of those in `alsoCompared`. The requests
 * of the other controllers are compared by their own scenarios.
 */
export function comparedIdentities({ controller, alsoCompared = [] }: Scenario): ReadonlySet<string> {
  return identitiesOf([controller, ...alsoCompared]);
}

/** Whether a write requests the token of a controller of the cast. */
export function isTokenOf(cast: Cast, label: string): boolean {
  const account = /^create \/api\/v1\/namespaces\/kube-system\/serviceaccounts\/([^/]+)\/token$/.exec(label)?.[1];
  return account !== undefined && identitiesOf(casts[cast].controllers).has(account);
}

function identitiesOf(controllers: readonly string[]): ReadonlySet<string> {
  return new Set(knownControllers.filter(({ name }) => controllers.includes(name)).map(({ identity }) => identity));
}
