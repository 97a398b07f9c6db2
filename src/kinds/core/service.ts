// Services. Addresses and ports are allocated before the strategy runs, and released after it.
// Upstream: pkg/registry/core/service/strategy.go; pkg/api/service/warnings.go; pkg/apis/core/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import type { EpochMs } from "#base/clock.ts";
import type { Kind } from "#kinds/kind.ts";
import {
  all,
  at,
  each,
  inner,
  isEmpty,
  isNil,
  isObject,
  isZero,
  nil,
  type Rule,
  set,
  zero,
} from "#kinds/parts/defaulting.ts";
import { cidrWarnings, ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { put } from "#kinds/parts/preparing.ts";
import { ageOf, formatLabels, nameOf, orNone, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { serviceHooks } from "./service-allocation.ts";
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

/** Drops fields that only the old type can have, unless the request changed them itself. */
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

const strategy = kindStrategy<core.Service>({
  allowCreateOnUpdate: true,
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
});

const sessionAffinity: Rule = (spec) => {
  if (spec.sessionAffinity === "None" && !isNil(spec.sessionAffinityConfig)) {
    const { sessionAffinityConfig: _, ...rest } = spec;
    return rest;
  }
  if (spec.sessionAffinity !== "ClientIP") return spec;
  const config = spec.sessionAffinityConfig;
  const clientIP = isObject(config) && isObject(config.clientIP) ? config.clientIP : {};
  return isNil(clientIP.timeoutSeconds)
    ? set(spec, "sessionAffinityConfig", { clientIP: { timeoutSeconds: 10800 } })
    : spec;
};

const trafficPolicies: Rule = (spec, ctx) => {
  const { type } = spec;
  const isExternal =
    type === "NodePort" || type === "LoadBalancer" || (type === "ClusterIP" && !isEmpty(spec.externalIPs));
  const external = isExternal ? zero({ externalTrafficPolicy: "Cluster" })(spec, ctx) : spec;
  const hasClusterIP = type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP";
  const internal = hasClusterIP ? nil({ internalTrafficPolicy: "Cluster" })(external, ctx) : external;
  return type === "LoadBalancer" ? nil({ allocateLoadBalancerNodePorts: true })(internal, ctx) : internal;
};

const servicePort: Rule = all(zero({ protocol: "TCP" }), (port) =>
  isZero(port.targetPort) ? set(port, "targetPort", port.port ?? 0) : port,
);

const vipMode: Rule = at(
  "loadBalancer",
  each("ingress", (ingress) =>
    !isZero(ingress.ip) && isNil(ingress.ipMode) ? set(ingress, "ipMode", "VIP") : ingress,
  ),
);

const defaults: Rule = all(
  inner(
    "spec",
    all(
      zero({ sessionAffinity: "None" }),
      sessionAffinity,
      zero({ type: "ClusterIP" }),
      each("ports", servicePort),
      trafficPolicies,
    ),
  ),
  (object, ctx) =>
    isObject(object.spec) && object.spec.type === "LoadBalancer" ? at("status", vipMode)(object, ctx) : object,
);

function externalIp({ spec, status }: core.Service): string {
  const own = spec?.externalIPs ?? [];
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orNone(own.join(","));
    case "LoadBalancer": {
      const assigned = (status?.loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || "");
      const all = [...new Set(assigned.filter((text) => text !== ""))].sort();
      return [...all, ...own].join(",") || "<pending>";
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function serviceCells(service: core.Service, now: EpochMs): unknown[] {
  const { spec } = service;
  const ports = (spec?.ports ?? []).map(
    ({ port = 0, nodePort = 0, protocol = "" }) => `${port}${nodePort > 0 ? `:${nodePort}` : ""}/${protocol}`,
  );
  return [
    nameOf(service),
    spec?.type ?? "",
    spec?.clusterIPs?.[0] ?? "<none>",
    externalIp(service),
    orNone(ports.join(",")),
    ageOf(service, now),
    formatLabels(spec?.selector),
  ];
}

export const service: Kind<core.Service> = {
  key: "services",
  etcdDirectory: "services/specs",
  strategy,
  defaults,
  selectableFields: {
    "spec.clusterIP": ({ spec }) => spec?.clusterIP ?? "",
    "spec.type": ({ spec }) => spec?.type ?? "",
  },
  printer: printer("Name|Type|Cluster-IP|External-IP|Port(s)|Age|Selector*", serviceCells),
  returnsDeletedObject: true,
  hooks: serviceHooks,
};
