// Quota of services: their number, load balancers and node ports.
// Upstream: pkg/quota/v1/evaluator/core/services.go

import type { Service } from "#api/generated/types/core-v1.ts";
import { quantityOf } from "#api/quantity.ts";
import type { QuotaEvaluator } from "#rules/quota/evaluator.ts";
import { countedNames } from "#rules/quota/object-count.ts";

const SERVICE_RESOURCES = ["count/services", "services", "services.loadbalancers", "services.nodeports"];

export const serviceQuota: QuotaEvaluator = {
  resource: { group: "", resource: "services" },
  matchingResources: (names) => countedNames(names, SERVICE_RESOURCES),
  // The type of a service may change.
  handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
  usage: (object) => {
    const service = object as Service;
    return new Map([
      ["count/services", quantityOf(1)],
      ["services", quantityOf(1)],
      ["services.loadbalancers", quantityOf(service.spec?.type === "LoadBalancer" ? 1 : 0)],
      ["services.nodeports", quantityOf(nodePorts(service))],
    ]);
  },
};

/** Ports are not allocated yet at admission, so the requested ones count. */
function nodePorts({ spec }: Service): number {
  const ports = spec?.ports ?? [];
  if (spec?.type !== "NodePort" && spec?.type !== "LoadBalancer") return 0;
  const isExplicitOnly = spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts === false;
  return isExplicitOnly ? ports.filter(({ nodePort }) => (nodePort ?? 0) !== 0).length : ports.length;
}

/** Changes between these types free quota. */
export function chargedServiceType({ spec }: Service): string {
  return spec?.type === "NodePort" || spec?.type === "LoadBalancer" ? spec.type : "";
}
