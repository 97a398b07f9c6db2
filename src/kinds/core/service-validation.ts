// Services. Upstream: pkg/apis/core/validation, validateService and neighbours

import * as field from "#api/field-error.ts";
import type * as core from "#api/generated/types/core-v1.ts";
import { isDns1035Label, isDns1123Label, isDns1123Subdomain, isPortNumber } from "#api/names.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import {
  dnsLabel,
  dnsSubdomain,
  type Errors,
  labels,
  legacyCidr,
  legacyIp,
  name,
  oneOf,
  type Path,
  qualifiedName,
  requiredOneOf,
} from "#kinds/parts/checks.ts";
import { endpointIp } from "#kinds/parts/endpoint-ip.ts";
import { internalForm } from "#kinds/parts/internal-form.ts";
import { objectMeta, objectMetaUpdate } from "#kinds/parts/metadata.ts";
import { port as portNumberOrName } from "#kinds/pod-spec/probes.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import { clusterIps, clusterIpsUpdate, isHeadless } from "./service-ips.ts";

const METADATA = field.newPath("metadata");
const SPEC = field.newPath("spec");
const ONLY_BALANCER = "may only be used when `type` is 'LoadBalancer'";
const SOURCE_RANGES = "service.beta.kubernetes.io/load-balancer-source-ranges";
const TOPOLOGY_HINTS = "service.kubernetes.io/topology-aware-hints";
const TOPOLOGY_MODE = "service.kubernetes.io/topology-mode";

export function validateService(service: core.Service, gates: FeatureGateReader): field.FieldError[] {
  const errors: Errors = [];
  const check = gates.isEnabled("RelaxedServiceNameValidation") ? isDns1123Label : isDns1035Label;
  objectMeta(errors, service.metadata ?? {}, true, check, METADATA);
  serviceRules(errors, service, undefined, gates.isEnabled("StrictIPCIDRValidation"));
  return errors;
}

export function validateServiceUpdate(
  service: core.Service,
  old: core.Service,
  gates: FeatureGateReader,
): field.FieldError[] {
  const errors: Errors = [];
  const [spec, oldSpec] = [service.spec ?? {}, old.spec ?? {}];
  objectMetaUpdate(errors, service.metadata ?? {}, old.metadata ?? {}, METADATA);
  clusterIpsUpdate(errors, spec, oldSpec);
  if (
    spec.type === "LoadBalancer" &&
    oldSpec.type === "LoadBalancer" &&
    spec.loadBalancerClass !== oldSpec.loadBalancerClass
  ) {
    const value = spec.loadBalancerClass ?? null;
    errors.push(field.invalid(SPEC.child("loadBalancerClass"), value, "may not change once set"));
  }
  balancerClass(errors, spec);
  const isChecked = needsHealthCheck(spec) && needsHealthCheck(oldSpec);
  if (isChecked && (spec.healthCheckNodePort ?? 0) !== (oldSpec.healthCheckNodePort ?? 0)) {
    errors.push(field.forbidden(SPEC.child("healthCheckNodePort"), "field is immutable"));
  }
  serviceRules(errors, service, old, gates.isEnabled("StrictIPCIDRValidation"));
  return errors;
}

function serviceRules(errors: Errors, service: core.Service, old: core.Service | undefined, isStrict: boolean): void {
  const spec = service.spec ?? {};
  const { ports = [], type = "" } = spec;
  topologyAnnotations(errors, service.metadata?.annotations);
  if (ports.length === 0 && !isHeadless(spec) && type !== "ExternalName") {
    errors.push(field.required(SPEC.child("ports"), ""));
  }
  byType(errors, spec, type);
  const names = new Set<string>();
  ports.forEach((port, i) => {
    servicePort(errors, port, ports.length > 1, names, SPEC.child("ports").index(i));
  });
  labels(errors, spec.selector, SPEC.child("selector"));
  sessionAffinity(errors, spec);
  clusterIps(errors, spec, old?.spec, isStrict);
  spec.externalIPs?.forEach((ip, i) => {
    const before = errors.length;
    legacyIp(errors, ip, SPEC.child("externalIPs").index(i), isStrict, old?.spec?.externalIPs ?? []);
    if (errors.length === before) endpointIp(errors, ip, SPEC.child("externalIPs").index(i));
  });
  requiredOneOf(errors, type, SPEC.child("type"), ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
  portConflicts(errors, spec, type);
  sourceRanges(errors, service, old, isStrict);
  if (spec.allocateLoadBalancerNodePorts !== undefined && type !== "LoadBalancer") {
    errors.push(field.forbidden(SPEC.child("allocateLoadBalancerNodePorts"), ONLY_BALANCER));
  }
  if (spec.allocateLoadBalancerNodePorts === undefined && type === "LoadBalancer") {
    errors.push(field.required(field.newPath("allocateLoadBalancerNodePorts"), ""));
  }
  balancerClass(errors, spec);
  trafficPolicies(errors, spec, type);
}

function topologyAnnotations(errors: Errors, annotations: Readonly<Record<string, string>> = {}): void {
  const [hints, mode] = [annotations[TOPOLOGY_HINTS], annotations[TOPOLOGY_MODE]];
  if (hints === undefined || mode === undefined || hints === mode) return;
  const detail = `must match annotations[${TOPOLOGY_HINTS}] when both are specified`;
  errors.push(field.invalid(METADATA.child("annotations").key(TOPOLOGY_MODE), mode, detail));
}

function byType(errors: Errors, spec: core.ServiceSpec, type: string): void {
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${type} services`;
    errors.push(field.invalid(SPEC.child("clusterIPs").index(0), "None", detail));
  }
  if (type !== "ExternalName") return;
  const forbid = (part: string, isSet: boolean): void => {
    if (isSet) errors.push(field.forbidden(SPEC.child(part), "may not be set for ExternalName services"));
  };
  forbid("clusterIPs", (spec.clusterIPs ?? []).length > 0);
  forbid("ipFamilies", (spec.ipFamilies ?? []).length > 0);
  forbid("ipFamilyPolicy", spec.ipFamilyPolicy !== undefined);
  const host = (spec.externalName ?? "").replace(/\.$/, "");
  if (host === "") errors.push(field.required(SPEC.child("externalName"), ""));
  else dnsSubdomain(errors, host, SPEC.child("externalName"));
}

function servicePort(errors: Errors, port: core.ServicePort, needsName: boolean, names: Set<string>, path: Path): void {
  if (port.name) {
    dnsLabel(errors, port.name, path.child("name"));
    if (names.has(port.name)) errors.push(field.duplicate(path.child("name"), port.name));
    names.add(port.name);
  } else if (needsName) errors.push(field.required(path.child("name"), ""));
  for (const message of isPortNumber(port.port ?? 0)) {
    errors.push(field.invalid(path.child("port"), port.port ?? 0, message));
  }
  requiredOneOf(errors, port.protocol, path.child("protocol"), ["SCTP", "TCP", "UDP"]);
  portNumberOrName(errors, port.targetPort, path.child("targetPort"));
  if (port.appProtocol !== undefined) qualifiedName(errors, port.appProtocol, path.child("appProtocol"));
}

const AFFINITY_SECONDS_MAX = 86_400;

function sessionAffinity(
  errors: Errors,
  { sessionAffinity: affinity, sessionAffinityConfig: config }: core.ServiceSpec,
): void {
  requiredOneOf(errors, affinity, SPEC.child("sessionAffinity"), ["ClientIP", "None"]);
  const path = SPEC.child("sessionAffinityConfig");
  if (affinity === "None" && config) {
    errors.push(field.forbidden(path, "must not be set when session affinity is None"));
  }
  if (affinity !== "ClientIP") return;
  const missing = "when session affinity type is ClientIP";
  const seconds = config?.clientIP?.timeoutSeconds;
  const at = path.child("clientIP", "timeoutSeconds");
  if (!config) errors.push(field.required(path, missing));
  else if (!config.clientIP) errors.push(field.required(path.child("clientIP"), missing));
  else if (seconds === undefined) errors.push(field.required(at, missing));
  else if (seconds <= 0 || seconds > AFFINITY_SECONDS_MAX) {
    errors.push(field.invalid(at, seconds, `must be greater than 0 and less than ${AFFINITY_SECONDS_MAX}`));
  }
}

function portConflicts(errors: Errors, { ports = [] }: core.ServiceSpec, type: string): void {
  const path = SPEC.child("ports");
  ports.forEach(({ nodePort }, i) => {
    if (type !== "ClusterIP" || !nodePort) return;
    errors.push(field.forbidden(path.index(i).child("nodePort"), "may not be used when `type` is 'ClusterIP'"));
  });
  const nodePorts = new Set<string>();
  ports.forEach(({ nodePort, protocol }, i) => {
    if (!nodePort) return;
    const key = `${protocol}/${nodePort}`;
    if (nodePorts.has(key)) errors.push(field.duplicate(path.index(i).child("nodePort"), nodePort));
    nodePorts.add(key);
  });
  const seen = new Set<string>();
  ports.forEach(({ port, protocol = "" }, i) => {
    const key = `${protocol}/${port}`;
    if (seen.has(key)) errors.push(field.duplicate(path.index(i), internalForm("ServicePort", { port, protocol })));
    seen.add(key);
  });
}

function sourceRanges(errors: Errors, service: core.Service, old: core.Service | undefined, isStrict: boolean): void {
  const { loadBalancerSourceRanges: ranges = [], type } = service.spec ?? {};
  const annotation = service.metadata?.annotations?.[SOURCE_RANGES];
  if (ranges.length > 0) {
    const path = SPEC.child("LoadBalancerSourceRanges");
    if (type !== "LoadBalancer") errors.push(field.forbidden(path, ONLY_BALANCER));
    const known = (old?.spec?.loadBalancerSourceRanges ?? []).map((range) => range.trim());
    ranges.forEach((range, i) => {
      if (!known.includes(range.trim())) legacyCidr(errors, range.trim(), path.index(i), isStrict);
    });
  } else if (annotation !== undefined) {
    const path = METADATA.child("annotations").key(SOURCE_RANGES);
    if (type !== "LoadBalancer") errors.push(field.forbidden(path, ONLY_BALANCER));
    if (old?.metadata?.annotations?.[SOURCE_RANGES] === annotation || annotation.trim() === "") return;
    for (const range of annotation.trim().split(",")) legacyCidr(errors, range.trim(), path, isStrict);
  }
}

function balancerClass(errors: Errors, { type, loadBalancerClass }: core.ServiceSpec): void {
  if (loadBalancerClass === undefined) return;
  const path = SPEC.child("loadBalancerClass");
  if (type === "LoadBalancer") qualifiedName(errors, loadBalancerClass, path);
  else errors.push(field.forbidden(path, ONLY_BALANCER));
}

export const isExternallyAccessible = ({ type, externalIPs }: core.ServiceSpec): boolean =>
  type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && (externalIPs ?? []).length > 0);
export const needsHealthCheck = ({ type, externalTrafficPolicy }: core.ServiceSpec): boolean =>
  type === "LoadBalancer" && externalTrafficPolicy === "Local";

function trafficPolicies(errors: Errors, spec: core.ServiceSpec, type: string): void {
  const { externalTrafficPolicy: external = "", internalTrafficPolicy: internal, healthCheckNodePort: port = 0 } = spec;
  const externalPath = SPEC.child("externalTrafficPolicy");
  if (isExternallyAccessible(spec)) requiredOneOf(errors, external, externalPath, ["Cluster", "Local"]);
  else if (external !== "") {
    errors.push(field.invalid(externalPath, external, "may only be set for externally-accessible services"));
  }
  const portPath = SPEC.child("healthCheckNodePort");
  if (!needsHealthCheck(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    if (port !== 0) errors.push(field.invalid(portPath, port, detail));
  } else if (port === 0) errors.push(field.required(portPath, ""));
  else for (const message of isPortNumber(port)) errors.push(field.invalid(portPath, port, message));
  const internalPath = SPEC.child("internalTrafficPolicy");
  if (internal !== undefined) oneOf(errors, internal, internalPath, ["Cluster", "Local"]);
  else if (type === "NodePort" || type === "LoadBalancer" || type === "ClusterIP") {
    errors.push(field.required(internalPath, ""));
  }
  if (spec.trafficDistribution !== undefined) {
    const supported = ["PreferClose", "PreferSameZone", "PreferSameNode"];
    oneOf(errors, spec.trafficDistribution, SPEC.child("trafficDistribution"), supported);
  }
}

export function validateServiceStatusUpdate(
  service: core.Service,
  old: core.Service,
  gates: FeatureGateReader,
): field.FieldError[] {
  const errors: Errors = [];
  objectMetaUpdate(errors, service.metadata ?? {}, old.metadata ?? {}, METADATA);
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  const path = field.newPath("status", "loadBalancer", "ingress");
  if (service.spec?.type !== "LoadBalancer") {
    if (ingress.length > 0) errors.push(field.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'"));
    return errors;
  }
  const known = (old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip ?? "");
  ingress.forEach(({ ip = "", ipMode, hostname }, i) => {
    const at = path.index(i);
    if (ip !== "") legacyIp(errors, ip, at.child("ip"), gates.isEnabled("StrictIPCIDRValidation"), known);
    if (ipMode === undefined) {
      if (ip !== "") errors.push(field.required(at.child("ipMode"), "must be specified when `ip` is set"));
    } else if (ip === "") errors.push(field.forbidden(at.child("ipMode"), "may not be specified when `ip` is not set"));
    else oneOf(errors, ipMode, at.child("ipMode"), ["Proxy", "VIP"]);
    if (!hostname) return;
    name(errors, hostname, at.child("hostname"), isDns1123Subdomain);
    if (parseSloppyIp(hostname)) {
      errors.push(field.invalid(at.child("hostname"), hostname, "must be a DNS name, not an IP address"));
    }
  });
  return errors;
}
