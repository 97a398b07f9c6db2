// The event message for pods whose volume is attached to another node.
// Upstream: pkg/controller/volume/attachdetach/reconciler/reconciler.go, reportMultiAttachError.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";

/** users: the pods on the other nodes that use the volume. Only pods in the same namespace are named. */
export function conflictMessage(pod: Stored<Pod>, users: readonly Stored<Pod>[]): string {
  if (users.length === 0) {
    return "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node";
  }
  const local = users.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace);
  const others = `${users.length - local.length} pod(s) in different namespaces`;
  if (local.length === 0) return `Volume is already used by ${others}`;
  const names = `Volume is already used by pod(s) ${local.map(({ metadata }) => metadata.name).join(", ")}`;
  return local.length === users.length ? names : `${names} and ${others}`;
}
