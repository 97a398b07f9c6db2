// One index, shared by all controllers, that finds pods by their node.
// Upstream: pkg/controller/controller_utils.go, AddPodNodeNameIndexer.

import type { Pod } from "#api/generated/types/core-v1.ts";
import type { Stored } from "#api/resource.ts";
import type { SharedInformer } from "#informers/informer.ts";

const BY_NODE = "spec.nodeName";

/** Adds the index unless another controller already has. */
export function addNodeIndex(pods: SharedInformer<Stored<Pod>>): void {
  if (pods.store.hasIndex(BY_NODE)) return;
  pods.addIndexers({ [BY_NODE]: ({ spec }) => ((spec?.nodeName ?? "") === "" ? [] : [spec?.nodeName ?? ""]) });
}

/** The pods that are bound to the node. */
export function podsOnNode(pods: SharedInformer<Stored<Pod>>, nodeName: string): readonly Stored<Pod>[] {
  return pods.store.byIndex(BY_NODE, nodeName);
}
