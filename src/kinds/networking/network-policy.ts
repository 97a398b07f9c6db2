// Network policies. Upstream: pkg/registry/networking/networkpolicy/strategy.go; pkg/apis/networking/v1/defaults.go

import type * as networking from "#api/generated/types/networking-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import type { Kind } from "#kinds/kind.ts";
import { all, each, inner, isEmpty, nil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { cidrWarnings } from "#kinds/parts/ip-warnings.ts";
import { countChange, firstGeneration } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { peersOf, validateNetworkPolicy, validateNetworkPolicyUpdate } from "./network-policy-validation.ts";

function cidrWarningsOf({ spec = {} }: networking.NetworkPolicy): string[] {
  return peersOf(spec).flatMap(({ peer: { ipBlock }, path }) => {
    if (!ipBlock) return [];
    const at = path.child("ipBlock");
    const { cidr = "", except = [] } = ipBlock;
    const ofExcept = (one: string, i: number): string[] => cidrWarnings(one, at.child("except").index(i));
    return [...cidrWarnings(cidr, at.child("cidr")), ...except.flatMap(ofExcept)];
  });
}

const strategy = kindStrategy<networking.NetworkPolicy>({
  prepareForCreate: firstGeneration,
  validate: (policy, { gates }) => validateNetworkPolicy(policy, gates),
  warningsOnCreate: cidrWarningsOf,
  prepareForUpdate: (policy, old) => countChange(policy, old, "spec"),
  validateUpdate: (policy, old, { gates }) => validateNetworkPolicyUpdate(policy, old, gates),
  warningsOnUpdate: cidrWarningsOf,
});

const policyTypes: Rule = (spec) =>
  isEmpty(spec.policyTypes)
    ? set(spec, "policyTypes", isEmpty(spec.egress) ? ["Ingress"] : ["Ingress", "Egress"])
    : spec;

const tcpPorts: Rule = each("ports", nil({ protocol: "TCP" }));

const defaults: Rule = inner("spec", all(policyTypes, each("ingress", tcpPorts), each("egress", tcpPorts)));

export const networkPolicy: Kind<networking.NetworkPolicy> = {
  key: "networkpolicies.networking.k8s.io",
  strategy,
  defaults,
  printer: printer<networking.NetworkPolicy>("Name|Pod-Selector|Age", (policy, now) => [
    nameOf(policy),
    formatLabelSelector(policy.spec?.podSelector ?? {}),
    ageOf(policy, now),
  ]),
};
