// The two priority classes that every cluster begins with.
// Upstream: pkg/registry/scheduling/rest/storage_scheduling.go, AddSystemPriorityClasses

import type { KubeObject } from "#api/object.ts";
import { formatTime } from "#api/time.ts";
import type { ServerCore } from "../core.ts";
import { recordUpdate } from "../managed-fields.ts";
import { withResourceVersion } from "../object-meta.ts";
import { internalCall } from "./internal-call.ts";

const SYSTEM_CRITICAL = 2_000_000_000;

const CLASSES = [
  {
    name: "system-node-critical",
    value: SYSTEM_CRITICAL + 1000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: SYSTEM_CRITICAL,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
];

/** Creates those that are missing. */
export function bootstrapPriorityClasses(core: ServerCore): void {
  const row = core.registry.row("priorityclasses.scheduling.k8s.io");
  if (row === undefined) return;
  const table = core.tableOf(row);
  const now = core.clock.now();
  for (const { name, value, description } of CLASSES) {
    if (table.get(name) !== undefined) continue;
    const bare = {
      kind: "PriorityClass",
      apiVersion: "scheduling.k8s.io/v1",
      metadata: { name },
      value,
      description,
      preemptionPolicy: "PreemptLowerPriority",
    } as KubeObject;
    const call = internalCall(core, row, { namespace: "", name, subresource: "", now });
    const owned = recordUpdate(core, call, undefined, bare, "kube-apiserver");
    const { managedFields = [] } = owned.metadata ?? {};
    const uid = core.rng.uids.uuid();
    const metadata = { name, uid, generation: 1, creationTimestamp: formatTime(now), managedFields };
    table.create(name, (revision) => withResourceVersion({ ...owned, metadata }, revision));
  }
}
