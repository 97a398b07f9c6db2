// Ingresses. Upstream: pkg/registry/networking/ingress/strategy.go; pkg/printers/internalversion/printers.go

import type * as networking from "#api/generated/types/networking-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

function hosts(rules: readonly networking.IngressRule[]): string {
  // Rules without a host count as more ones, but not as one of the three.
  const named: string[] = [];
  let hasMore = false;
  for (const { host } of rules) {
    hasMore ||= named.length === 3;
    if (!hasMore && host) named.push(host);
  }
  if (named.length === 0) return "*";
  return hasMore ? `${named.join(",")} + ${rules.length - 3} more...` : named.join(",");
}

function ingressCells(ingress: networking.Ingress, now: EpochMs): unknown[] {
  const { spec, status } = ingress;
  const addresses = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
  return [
    nameOf(ingress),
    spec?.ingressClassName ?? "<none>",
    hosts(spec?.rules ?? []),
    [...new Set(addresses.filter((address) => address !== ""))].sort().join(","),
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
    ageOf(ingress, now),
  ];
}

export const ingress: SchemaOnlyKind<networking.Ingress> = {
  key: "ingresses.networking.k8s.io",
  etcdDirectory: "ingress",
  strategy: schemaOnly({ countsGeneration: true }),
  printer: printer("Name|Class|Hosts|Address|Ports|Age", ingressCells),
};
