// Nodes. Upstream: pkg/registry/core/node/strategy.go; pkg/printers/internalversion/printers.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { quantities } from "#kinds/parts/default-quantities.ts";
import { all, at, isNil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { cidrWarnings } from "#kinds/parts/ip-warnings.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { kindStrategy, type StrategyContext } from "#kinds/strategy.ts";
import { proxyToNode } from "./kubelet-connections.ts";
import { validateNode, validateNodeUpdate } from "./node-validation.ts";

function warnings({ spec = {} }: core.Node): string[] {
  const list: string[] = [];
  if (spec.configSource) list.push("spec.configSource: the feature is removed");
  if (spec.externalID) list.push("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  spec.podCIDRs?.forEach((cidr, i) => {
    list.push(...cidrWarnings(cidr, field.newPath("spec", "podCIDRs").index(i)));
  });
  return list;
}

/** Dynamic kubelet configuration was removed; only nodes with a config source keep it. */
function dropDisabled(node: core.Node, old: core.Node | undefined, ctx: StrategyContext): core.Node {
  let out = node;
  if (out.spec?.configSource && !old?.spec?.configSource)
    out = put(out, "spec", put(out.spec, "configSource", undefined));
  if (out.status?.config && old === undefined) out = put(out, "status", put(out.status, "config", undefined));
  if (out.status?.declaredFeatures && !ctx.gates.isEnabled("NodeDeclaredFeatures") && !old?.status?.declaredFeatures) {
    out = put(out, "status", put(out.status, "declaredFeatures", undefined));
  }
  return out;
}

const defaults: Rule = at(
  "status",
  all(
    (status) =>
      isNil(status.allocatable) && !isNil(status.capacity) ? set(status, "allocatable", status.capacity) : status,
    quantities("capacity"),
    quantities("allocatable"),
  ),
);

/** podCIDR is the first item of podCIDRs. Upstream: Convert_v1_NodeSpec_To_core_NodeSpec and back */
function withBothCidrs(node: core.Node): core.Node {
  const { podCIDR = "", podCIDRs = [] } = node.spec ?? {};
  if (podCIDR === (podCIDRs[0] ?? "")) return node;
  const cidrs = podCIDR === "" ? podCIDRs : [podCIDR];
  return { ...node, spec: { ...node.spec, podCIDR: cidrs[0] as string, podCIDRs: cidrs } };
}

function nodeStatus({ spec, status }: core.Node): string {
  const ready = status?.conditions?.findLast(({ type }) => type === "Ready");
  const word = ready === undefined ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${word},SchedulingDisabled` : word;
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: core.Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata?.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX)) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === "kubernetes.io/role") roles.add(value);
  }
  roles.delete("");
  return orNone([...roles].sort().join(","));
}

function nodeCells(node: core.Node, now: EpochMs): unknown[] {
  const { nodeInfo, addresses } = node.status ?? {};
  const address = (type: string): string =>
    addresses?.find((candidate) => candidate.type === type)?.address ?? "<none>";
  const architecture = nodeInfo?.architecture ? ` (${nodeInfo.architecture})` : "";
  return [
    nameOf(node),
    nodeStatus(node),
    nodeRoles(node),
    ageOf(node, now),
    nodeInfo?.kubeletVersion ?? "",
    address("InternalIP"),
    address("ExternalIP"),
    nodeInfo?.osImage || "<unknown>",
    `${nodeInfo?.kernelVersion || "<unknown>"}${architecture}`,
    nodeInfo?.containerRuntimeVersion || "<unknown>",
  ];
}

const strategy = kindStrategy<core.Node>({
  resetFields: [["status"]],
  prepareForCreate: (node, ctx) => dropDisabled(node, undefined, ctx),
  validate: (node, ctx) => validateNode(node, ctx.gates),
  warningsOnCreate: warnings,
  prepareForUpdate: (node, old, ctx) => dropDisabled(put(node, "status", old.status), old, ctx),
  validateUpdate: (node, old, ctx) => [...validateNode(node, ctx.gates), ...validateNodeUpdate(node, old)],
  warningsOnUpdate: warnings,
  subresources: {
    status: {
      prepareForUpdate(node, old) {
        const kept = put(node, "spec", old.spec);
        return kept.status?.config && !old.status?.config
          ? put(kept, "status", put(kept.status, "config", undefined))
          : kept;
      },
      validateUpdate: validateNodeUpdate,
      resetFields: [["spec"]],
    },
  },
});

export const node: Kind<core.Node> = {
  key: "nodes",
  etcdDirectory: "minions",
  strategy,
  defaults,
  fillAliases: withBothCidrs,
  selectableFields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  printer: printer(
    "Name|Status|Roles|Age|Version|Internal-IP*|External-IP*|OS-Image*|Kernel-Version*|Container-Runtime*",
    nodeCells,
  ),
  hooks: (server) => ({ connected: { proxy: proxyToNode(server) } }),
};
