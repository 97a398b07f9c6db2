// The writes of one sync to its Deployment. All of them carry the version that the sync began with.

import type { ResourceClient } from "#client/client.ts";
import type { Deployment, DeploymentsApi } from "./model.ts";

/** Ends the sync: its own write has replaced the Deployment that it began with. */
export class ReplacedError extends Error {
  override readonly name = "ReplacedError";
}

/**
 * The API for one sync. A write fails without a request when an earlier write of the sync has replaced the version that
 * it carries: the server would answer with a conflict. The event of the earlier write triggers the next sync.
 * Deviation: upstream sends that write, one for each new ReplicaSet, and retries after the conflict.
 */
export function apiOfSync(api: DeploymentsApi): DeploymentsApi {
  const replaced = new Set<string>();
  const guarded =
    (send: ResourceClient<Deployment>["update"]): typeof send =>
    async (request, signal) => {
      const { resourceVersion } = request.object.metadata;
      if (replaced.has(resourceVersion)) throw new ReplacedError(`version ${resourceVersion} is replaced`);
      const answer = await send(request, signal);
      if (answer.metadata.resourceVersion !== resourceVersion) replaced.add(resourceVersion);
      return answer;
    };
  return {
    get: (request, signal) => api.get(request, signal),
    update: guarded((request, signal) => api.update(request, signal)),
    updateStatus: guarded((request, signal) => api.updateStatus(request, signal)),
  };
}
