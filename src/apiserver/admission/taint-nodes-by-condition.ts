// A new node is tainted as not ready until the node lifecycle controller sees it ready.
// Upstream: plugin/pkg/admission/nodetaint/admission.go

import type { Node } from "#api/generated/types/core-v1.ts";
import type { AdmissionPlugin } from "../admission.ts";

const NOT_READY = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };

export function taintNodesByCondition(): AdmissionPlugin {
  return {
    name: "TaintNodesByCondition",
    handles: ({ resource, subresource, operation }) =>
      resource.resource === "nodes" && resource.group === "" && subresource === "" && operation === "CREATE",
    admit(attributes) {
      const node = attributes.object as Node;
      const taints = node.spec?.taints ?? [];
      if (taints.some(({ key, effect }) => key === NOT_READY.key && effect === NOT_READY.effect)) return;
      attributes.object = { ...node, spec: { ...node.spec, taints: [...taints, NOT_READY] } } as Node;
    },
  };
}
