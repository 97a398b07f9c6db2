/**
 * Fills aggregated cluster roles with the rules of the roles that their selectors match.
 *
 * Keeps true:  the rules of each ClusterRole with an aggregationRule are those of the other roles that its selectors
 *              match, each once. The controller owns the rules by server-side apply, and overwrites other writers.
 * Requeues:    never; any change of any role queues all aggregated roles.
 * Upstream:    pkg/controller/clusterroleaggregation.
 * Deviations:  a role is not synced until the cache has seen its last write; upstream may apply the same rules again.
 */

import { ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import { objectKey } from "#api/object.ts";
import { compareResourceVersions } from "#api/resource-version.ts";
import { patch } from "#kit/contract.ts";
import type { ControllerDescriptor } from "#kit/controller.ts";
import { keyedController } from "#kit/keyed-controller.ts";
import { type ChangeType, eventCause } from "#kit/trace.ts";
import { done } from "#kit/worker-loop.ts";
import { aggregatedRules, appliedRule, areSameRules, type ClusterRole } from "./rules.ts";

const WORKERS = 5;
const FIELD_MANAGER = "clusterrole-aggregation-controller";

export const clusterRoleAggregation: ControllerDescriptor = keyedController({
  name: "clusterrole-aggregation-controller",
  contract: {
    watches: [ClusterRoles],
    reads: [],
    writes: [patch(ClusterRoles)],
  },
  build(parts) {
    const roles = parts.informer(ClusterRoles);
    const api = parts.client.resource(ClusterRoles);
    const queue = parts.queue({ name: "ClusterRoleAggregator" });
    /** The written versions by role. The event of a write queues all roles again. */
    const writtenVersions = new Map<string, string>();
    const enqueueAll = (event: ChangeType, changed: ClusterRole): void => {
      for (const role of roles.lister.list()) {
        if (role.aggregationRule === undefined) continue;
        queue.add(objectKey(role), eventCause(ClusterRoles, event, changed));
      }
    };
    parts.handle(roles, {
      onAdd: (role) => enqueueAll("add", role),
      onUpdate: (_, role) => enqueueAll("update", role),
      onDelete: (role) => enqueueAll("delete", role),
    });
    parts.work({
      queue,
      workers: WORKERS,
      async sync(name, signal) {
        const role = roles.lister.get(name);
        if (role?.aggregationRule === undefined) {
          writtenVersions.delete(name);
          return done;
        }
        const written = writtenVersions.get(name);
        if (written !== undefined && compareResourceVersions(role.metadata.resourceVersion, written) < 0) return done;
        const rules = aggregatedRules(role, roles.lister.list());
        if (areSameRules(rules, role.rules ?? [])) return done;
        const object = { metadata: { name }, ...(rules.length > 0 && { rules: rules.map(appliedRule) }) };
        const applied = await api.apply({ name, object, fieldManager: FIELD_MANAGER, force: true }, signal);
        writtenVersions.set(name, applied.metadata.resourceVersion);
        return done;
      },
    });
  },
});
