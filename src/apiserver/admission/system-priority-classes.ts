// The two system priority classes.
// Upstream: pkg/registry/scheduling/rest/storage_scheduling.go, AddSystemPriorityClasses

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import type { ServerCore } from "../core.ts";
import { createOwn } from "../write/own-objects.ts";

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

/** Creates missing classes. */
export function bootstrapPriorityClasses(core: ServerCore): void {
  for (const { name, value, description } of CLASSES) {
    const given = { metadata: { name }, value, description, preemptionPolicy: "PreemptLowerPriority" } as KubeObject;
    createOwn(core, "priorityclasses.scheduling.k8s.io", given, (object) => withMeta(object, { generation: 1 }));
  }
}
