// Which changes of nodes and pods concern evictions. Upstream: pkg/controller/tainteviction/taint_eviction.go,
// NodeUpdated, PodUpdated.

import { semanticEqual } from "#api/equality.ts";
import type { Node, Pod } from "#api/generated/types/core-v1.ts";
import { noExecuteTaints } from "./tolerated-time.ts";

export function changesNode(node: Node, old: Node | undefined): boolean {
  return old === undefined || !semanticEqual(noExecuteTaints(old.spec?.taints), noExecuteTaints(node.spec?.taints));
}

export function changesPod(pod: Pod, old: Pod | undefined): boolean {
  if (old === undefined) return true;
  const { tolerations, nodeName = "" } = pod.spec ?? {};
  return (old.spec?.nodeName ?? "") !== nodeName || !semanticEqual(old.spec?.tolerations, tolerations);
}
