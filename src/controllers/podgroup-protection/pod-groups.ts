// The group that a pod keeps, and the groups that a change of a pod may release.
// Upstream: pkg/controller/scheduling/podgroupprotection, addActivePodSchedulingGroupIndexer, handlePodChange.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { ObjectKey } from "#api/object.ts";
import type { Stored } from "#api/resource.ts";
import { isPodTerminal } from "#rules/pod-status.ts";

/** The key of the group that the pod belongs to, as a list of one or none. */
function groupOf({ metadata, spec }: Stored<Pod>): readonly ObjectKey[] {
  const name = spec?.schedulingGroup?.podGroupName;
  return name === undefined ? [] : [`${metadata.namespace}/${name}`];
}

/** A pod that has ended keeps no group. A deleted pod that still runs does. */
export function activeGroupOf(pod: Stored<Pod>): readonly ObjectKey[] {
  return isPodTerminal(pod) ? [] : groupOf(pod);
}

/** A pod releases its group when it ends, when it is gone, and when another pod has taken its name. */
export function groupsToCheck(old: Stored<Pod> | undefined, pod: Stored<Pod> | undefined): readonly ObjectKey[] {
  const isGone = old !== undefined && old.metadata.uid !== pod?.metadata.uid;
  const hasEnded = pod !== undefined && isPodTerminal(pod);
  return [...(hasEnded ? groupOf(pod) : []), ...(isGone ? groupOf(old) : [])];
}
