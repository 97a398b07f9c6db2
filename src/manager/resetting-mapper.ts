// A REST mapper that resets every 30 seconds, so that new and removed kinds are known by then.
// Upstream: cmd/kube-controller-manager/app/controllermanager.go, CreateControllerContext, which resets by a timer.
// Here the first question in a new period does it: at the same moments, and without a timer.

import type { Clock } from "#base/clock.ts";
import type { RestMapper } from "#client/rest-mapper.ts";

const PERIOD_MS = 30_000;

export function resettingMapper(mapper: RestMapper, clock: Clock): RestMapper {
  const startedMs = clock.monotonicMs();
  let seen = 0;
  const current = (): RestMapper => {
    const period = Math.floor((clock.monotonicMs() - startedMs) / PERIOD_MS);
    if (period !== seen) mapper.reset();
    seen = period;
    return mapper;
  };
  return {
    mapping: (gk, versions, signal) => current().mapping(gk, versions, signal),
    mappings: (gk, versions, signal) => current().mappings(gk, versions, signal),
    resourceFor: (resource, signal) => current().resourceFor(resource, signal),
    resourcesFor: (resource, signal) => current().resourcesFor(resource, signal),
    reset: () => mapper.reset(),
  };
}
