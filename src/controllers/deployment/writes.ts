// The writes of one sync to its Deployment. All of them carry the version that the sync began with.

import { Deployments } from "#api/generated/resources/apps-v1.ts";
import { newConflict } from "#api/status-error.ts";
import type { ResourceClient } from "#client/client.ts";
import type { Deployment, DeploymentsApi } from "./model.ts";

const CAUSE = "the object has been modified; please apply your changes to the latest version and try again";

/**
 * The API for one sync. A write fails without a request when an earlier write of the sync has replaced the version that
 * it carries: the server would answer with a conflict. The sync is retried then, by a cache that has the first write.
 * Deviation: upstream sends that write, one for each new ReplicaSet.
 */
export function apiOfSync(api: DeploymentsApi): DeploymentsApi {
  const replaced = new Set<string>();
  const guarded =
    (send: ResourceClient<Deployment>["update"]): typeof send =>
    async (request, signal) => {
      const { name, resourceVersion } = request.object.metadata;
      if (replaced.has(resourceVersion)) throw newConflict(Deployments, name, CAUSE);
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
