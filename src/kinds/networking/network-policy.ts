// Network policies. Upstream: pkg/registry/networking/networkpolicy/strategy.go; pkg/apis/networking/v1/defaults.go

import type * as networking from "#api/generated/types/networking-v1.ts";
import { formatLabelSelector } from "#api/label-selector.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { all, each, inner, isEmpty, nil, type Rule, set } from "#kinds/parts/defaulting.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

const policyTypes: Rule = (spec) =>
  isEmpty(spec.policyTypes)
    ? set(spec, "policyTypes", isEmpty(spec.egress) ? ["Ingress"] : ["Ingress", "Egress"])
    : spec;

const tcpPorts: Rule = each("ports", nil({ protocol: "TCP" }));

const defaults: Rule = inner("spec", all(policyTypes, each("ingress", tcpPorts), each("egress", tcpPorts)));

export const networkPolicy: SchemaOnlyKind<networking.NetworkPolicy> = {
  key: "networkpolicies.networking.k8s.io",
  strategy: schemaOnly({ countsGeneration: true }),
  defaults,
  printer: printer<networking.NetworkPolicy>("Name|Pod-Selector|Age", (policy, now) => [
    nameOf(policy),
    formatLabelSelector(policy.spec?.podSelector ?? {}),
    ageOf(policy, now),
  ]),
};
