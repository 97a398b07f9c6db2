// Syncs one node after a change: its NoSchedule taints follow its conditions, its beta labels the stable ones. After a
// failure the next change of the node tries again.
// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go, doNodeProcessingPassWorker.

import { done, type SyncResult } from "#kit/worker-loop.ts";
import { betaLabelChanges } from "./beta-labels.ts";
import { noScheduleChange } from "./condition-taints.ts";
import type { Deps } from "./deps.ts";
import { setLabels, succeeds, swapTaints } from "./taint-writes.ts";

export async function syncNode(name: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const node = deps.nodes.lister.get(name);
  if (node === undefined) return done;
  const change = noScheduleChange(node);
  if (change.add.length > 0 || change.remove.length > 0) {
    const swapped = swapTaints(node, change, deps, signal);
    await succeeds(swapped, "Failed to taint NoSchedule on node, requeue it", node, deps, signal);
  }
  // Writing the taints may have taken a while.
  const current = deps.nodes.lister.get(name);
  const labels = betaLabelChanges(current?.metadata.labels);
  if (current !== undefined && Object.keys(labels).length > 0) {
    const labelled = setLabels(current, labels, deps, signal);
    await succeeds(labelled, "Failed to reconcile labels for node, requeue it", current, deps, signal);
  }
  return done;
}
