// Which DaemonSets a change of a node concerns. That depends on each set's template, so it is computed in a separate
// queue.
// Upstream: pkg/controller/daemon/daemon_controller.go, syncNodeUpdate.

import { DaemonSets } from "#api/generated/resources/apps-v1.ts";
import { Nodes } from "#api/generated/resources/core-v1.ts";
import { objectKey } from "#api/object.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import type { KeyQueue } from "#kit/key-queue.ts";
import { podsOnNode } from "#kit/pods-by-node.ts";
import { eventCause } from "#kit/trace.ts";
import type { Deps } from "./model.ts";
import { placementOn } from "./placement.ts";

export function syncNode(name: string, deps: Deps, queue: KeyQueue): void {
  const node = deps.nodes.lister.get(name);
  if (node === undefined) return;
  const scheduled = new Set<string>();
  for (const pod of podsOnNode(deps.pods, name)) {
    const controller = getControllerOf(pod);
    if (controller?.kind === DaemonSets.kind) scheduled.add(`${pod.metadata.namespace}/${controller.name}`);
  }
  for (const set of deps.sets.lister.list()) {
    const key = objectKey(set);
    const { shouldRun, mayStay } = placementOn(node, set, deps.comparesTaints);
    const isConcerned = scheduled.has(key) ? !mayStay || (set.status?.numberMisscheduled ?? 0) > 0 : shouldRun;
    if (isConcerned) queue.add(key, eventCause(Nodes, "update", node));
  }
}
