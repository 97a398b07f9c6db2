// Checks that the node has enough resources for the pod's requests. Upstream:
// pkg/scheduler/framework/plugins/noderesources/fit.go

import type { NodeState } from "../node-state.ts";
import type { NodeFilter } from "../rejection.ts";
import type { ResourceTotals } from "../resource-totals.ts";

const TOO_MANY_PODS = "Too many pods";

export function filterResources(wanted: ResourceTotals): NodeFilter {
  return (node) => {
    const { requested, allocatable, pods } = node;
    const isEnough =
      pods.size < allocatable.pods &&
      wanted.milliCpu <= allocatable.milliCpu - requested.milliCpu &&
      wanted.memory <= allocatable.memory - requested.memory &&
      wanted.ephemeralStorage <= allocatable.ephemeralStorage - requested.ephemeralStorage &&
      wanted.scalars.size === 0;
    return isEnough ? undefined : shortage(wanted, node);
  };
}

function shortage(wanted: ResourceTotals, node: NodeState): ReturnType<NodeFilter> {
  const { requested, allocatable, pods } = node;
  const reasons: string[] = [];
  let isResolvable = true;
  const check = (name: string, amount: number, total: number, used: number): void => {
    if (amount <= 0 || amount <= total - used) return;
    reasons.push(`Insufficient ${name}`);
    if (amount > total) isResolvable = false;
  };
  if (pods.size + 1 > allocatable.pods) reasons.push(TOO_MANY_PODS);
  check("cpu", wanted.milliCpu, allocatable.milliCpu, requested.milliCpu);
  check("memory", wanted.memory, allocatable.memory, requested.memory);
  check("ephemeral-storage", wanted.ephemeralStorage, allocatable.ephemeralStorage, requested.ephemeralStorage);
  for (const [name, amount] of wanted.scalars) {
    check(name, amount, allocatable.scalars.get(name) ?? 0, requested.scalars.get(name) ?? 0);
  }
  return reasons.length === 0 ? undefined : { plugin: "NodeResourcesFit", reasons, isResolvable };
}
