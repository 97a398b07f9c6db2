// Strategy of nodes. Upstream: pkg/registry/core/node/strategy.go

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { cidrWarnings } from "#kinds/parts/ip-warnings.ts";
import { put } from "#kinds/parts/preparing.ts";
import type { KindStrategy, StrategyContext } from "#kinds/strategy.ts";
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

/** Dynamic kubelet configuration is gone; only nodes that had a source keep it. */
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

export const nodeStrategy: KindStrategy<core.Node> = {
  namespaced: false,
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate: (node, ctx) => dropDisabled(node, undefined, ctx),
  validate: (node, ctx) => validateNode(node, ctx.gates),
  warningsOnCreate: warnings,
  prepareForUpdate: (node, old, ctx) => dropDisabled(put(node, "status", old.status), old, ctx),
  validateUpdate: (node, old, ctx) => [...validateNode(node, ctx.gates), ...validateNodeUpdate(node, old)],
  warningsOnUpdate: warnings,
  selectableFields: ({ spec }) => ({ "spec.unschedulable": String(spec?.unschedulable ?? false) }),
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
};
