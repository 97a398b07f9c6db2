// Ingresses. Upstream: pkg/registry/networking/ingress/strategy.go; pkg/printers/internalversion/printers.go

import * as field from "#api/field-error.ts";
import type * as networking from "#api/generated/types/networking-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import { ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { countChange, firstGeneration, put, statusStrategy } from "#kinds/parts/preparing.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import {
  CLASS_ANNOTATION,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from "./ingress-validation.ts";

function annotationWarning({ metadata, spec }: networking.Ingress): string[] {
  if (metadata?.annotations?.[CLASS_ANNOTATION] === undefined || spec?.ingressClassName !== undefined) return [];
  return [`annotation "${CLASS_ANNOTATION}" is deprecated, please use 'spec.ingressClassName' instead`];
}

function addressWarnings({ status }: networking.Ingress): string[] {
  const path = field.newPath("status", "loadBalancer", "ingress");
  return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) => (ip ? ipWarnings(ip, path.index(i)) : []));
}

const strategy = kindStrategy<networking.Ingress>({
  resetFields: [["status"]],
  prepareForCreate: (ingress) => firstGeneration({ ...ingress, status: { loadBalancer: {} } }),
  validate: (ingress, { gates }) => validateIngress(ingress, gates),
  warningsOnCreate: annotationWarning,
  prepareForUpdate: (ingress, old) => countChange(put(ingress, "status", old.status), old, "spec"),
  validateUpdate: (ingress, old, { gates }) => validateIngressUpdate(ingress, old, gates),
  subresources: {
    status: {
      ...statusStrategy<networking.Ingress>((ingress, old, { gates }) =>
        validateIngressStatusUpdate(ingress, old, gates),
      ),
      warningsOnUpdate: addressWarnings,
    },
  },
});

function hosts(rules: readonly networking.IngressRule[]): string {
  // As upstream, a rule without a host counts for "more" but takes none of the three places.
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

export const ingress: Kind<networking.Ingress> = {
  key: "ingresses.networking.k8s.io",
  etcdDirectory: "ingress",
  strategy,
  printer: printer("Name|Class|Hosts|Address|Ports|Age", ingressCells),
};
