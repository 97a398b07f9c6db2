// Strategy of services. Addresses and ports are allocated before it sees them, and released after.
// Upstream: pkg/registry/core/service/strategy.go, pkg/api/service/warnings.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { cidrWarnings, ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { put } from "#kinds/parts/preparing.ts";
import type { KindStrategy } from "#kinds/strategy.ts";
import { isHeadless } from "./service-ips.ts";
import {
  isExternallyAccessible,
  needsHealthCheck,
  validateService,
  validateServiceStatusUpdate,
  validateServiceUpdate,
} from "./service-validation.ts";

type Spec = core.ServiceSpec;

const hasNodePorts = ({ type }: Spec): boolean => type === "NodePort" || type === "LoadBalancer";
const nodePorts = ({ ports = [] }: Spec): number[] => ports.flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));

/** What the old type had set and the new type cannot have goes, unless the request says otherwise itself. */
function withoutOldType(spec: Spec, old: Spec): Spec {
  let out = spec;
  const drop = (...parts: readonly (keyof Spec)[]): void => {
    if (!parts.every((part) => semanticEqual(spec[part], old[part]))) return;
    for (const part of parts) out = put(out, part, undefined);
  };
  if (old.type !== "ExternalName" && spec.type === "ExternalName") {
    drop("clusterIP", "clusterIPs");
    drop("ipFamilies");
    drop("ipFamilyPolicy");
  }
  const isKept = nodePorts(spec).every((port) => nodePorts(old).includes(port));
  if (hasNodePorts(old) && !hasNodePorts(spec) && isKept && spec.ports) {
    out = { ...out, ports: spec.ports.map((port) => put(port, "nodePort", undefined)) };
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
  if (isExternallyAccessible(old) && !isExternallyAccessible(spec)) drop("externalTrafficPolicy");
  return out;
}

const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";

function warnings({ metadata, spec = {} }: core.Service): string[] {
  const list: string[] = [];
  const path = field.newPath("spec");
  const { externalIPs = [], clusterIP = "", clusterIPs = [], loadBalancerIP, type } = spec;
  if (metadata?.annotations?.[TOPOLOGY_HINTS] !== undefined) {
    list.push(`annotation ${TOPOLOGY_HINTS} is deprecated, please use ${TOPOLOGY_MODE} instead`);
  }
  const ofIps = (ips: readonly string[], part: string): void => {
    for (const [i, ip] of ips.entries()) list.push(...ipWarnings(ip, path.child(part).index(i)));
  };
  if (clusterIP !== "" && clusterIP !== "None") ofIps(clusterIPs, "clusterIPs");
  if (isHeadless(spec)) {
    if (loadBalancerIP) list.push("spec.loadBalancerIP is ignored for headless services");
    if (externalIPs.length > 0) list.push("spec.externalIPs is ignored for headless services");
    if (spec.sessionAffinity !== "None") list.push("spec.SessionAffinity is ignored for headless services");
  }
  ofIps(externalIPs, "externalIPs");
  if (externalIPs.length > 0 && !isHeadless(spec) && type !== "ExternalName") {
    list.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (loadBalancerIP) list.push(...ipWarnings(loadBalancerIP, path.child("loadBalancerIP")));
  for (const [i, range] of (spec.loadBalancerSourceRanges ?? []).entries()) {
    list.push(...cidrWarnings(range, path.child("loadBalancerSourceRanges").index(i)));
  }
  if (type === "ExternalName" && externalIPs.length > 0) {
    list.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  }
  if (type !== "ExternalName" && spec.externalName) {
    list.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  }
  if (spec.trafficDistribution === "PreferClose") {
    list.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  }
  return list;
}

export const serviceStrategy: KindStrategy<core.Service> = {
  namespaced: true,
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  resetFields: [["status"]],
  prepareForCreate: (service) => ({ ...service, status: { loadBalancer: {} } }),
  validate: (service, { gates }) => validateService(service, gates),
  warningsOnCreate: warnings,
  prepareForUpdate(service, old) {
    const kept = put(service, "status", old.status);
    const spec = withoutOldType(kept.spec ?? {}, old.spec ?? {});
    const typed = put(kept, "spec", spec);
    return spec.type === "LoadBalancer" ? typed : { ...typed, status: { ...typed.status, loadBalancer: {} } };
  },
  validateUpdate: (service, old, { gates }) => validateServiceUpdate(service, old, gates),
  warningsOnUpdate: warnings,
  selectableFields: ({ spec }) => ({ "spec.clusterIP": spec?.clusterIP ?? "", "spec.type": spec?.type ?? "" }),
  subresources: {
    status: {
      prepareForUpdate: (service, old) => put(service, "spec", old.spec),
      validateUpdate: (service, old, { gates }) => validateServiceStatusUpdate(service, old, gates),
      warningsOnUpdate({ status }) {
        const path = field.newPath("status", "loadBalancer", "ingress");
        return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, i) => (ip ? ipWarnings(ip, path.index(i)) : []));
      },
      resetFields: [["spec"]],
    },
  },
};
