// The IP fields of a service: keeps clusterIP and clusterIPs in sync, fills in families and policy, and keeps allocated
// values that an update omits. Pure.
// Upstream: pkg/registry/core/service/storage/storage.go, normalizeClusterIPs, patchAllocatedValues; alloc.go, initIPFamilyFields

import * as field from "#api/field-error.ts";
import type { Service, ServiceSpec } from "#api/generated/types/core-v1.ts";
import { type ApiError, newInvalid } from "#api/status-error.ts";
import { put } from "#kinds/parts/preparing.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import { clusterIps } from "./service-ips.ts";
import { needsHealthCheck } from "./service-validation.ts";

/** The only IP family of services in this cluster. */
export const FAMILY = "IPv4";
const SPEC = field.newPath("spec");
const IPS = SPEC.child("clusterIPs");
const POLICY = SPEC.child("ipFamilyPolicy");
const FAMILIES = SPEC.child("ipFamilies");

export const needsClusterIp = ({ type }: ServiceSpec): boolean => type !== "ExternalName";

/** Fills in clusterIPs for old clients, which know only clusterIP. */
export function withPluralIps(spec: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (old === undefined) {
    return clusterIP !== "" && clusterIPs.length === 0 ? { ...spec, clusterIPs: [clusterIP] } : spec;
  }
  if (clusterIP === (old.clusterIP ?? "")) {
    return clusterIPs.length === 0 ? put(spec, "clusterIPs", old.clusterIPs) : spec;
  }
  if (!isSameList(clusterIPs, old.clusterIPs)) return spec;
  return put(spec, "clusterIPs", clusterIP === "" ? undefined : [clusterIP]);
}

/** An update without addresses or ports keeps the allocated ones, because users send the same manifest again. */
export function withAllocatedOf(old: ServiceSpec, given: ServiceSpec): ServiceSpec {
  let spec = given;
  if (needsClusterIp(old) && needsClusterIp(spec)) {
    if (!spec.clusterIP) spec = put(spec, "clusterIP", old.clusterIP);
    if ((spec.clusterIPs ?? []).length === 0) spec = put(spec, "clusterIPs", old.clusterIPs);
  }
  if (needsNodePorts(old) && needsNodePorts(spec) && spec.ports !== undefined) {
    const portsNow = nodePortsOf(spec);
    const kept = new Set(nodePortsOf(old).filter((port) => portsNow.includes(port)));
    const byName = new Map((old.ports ?? []).map(({ name = "", nodePort = 0 }) => [name, nodePort]));
    const ports = spec.ports.map((port) => {
      const known = port.nodePort ? 0 : (byName.get(port.name ?? "") ?? 0);
      return known === 0 || kept.has(known) ? port : { ...port, nodePort: known };
    });
    spec = { ...spec, ports };
  }
  if (needsHealthCheck(old) && needsHealthCheck(spec) && !spec.healthCheckNodePort) {
    spec = put(spec, "healthCheckNodePort", old.healthCheckNodePort);
  }
  return spec;
}

/** Whether every port gets a node port, requested or not. */
export const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);

export const nodePortsOf = ({ ports = [] }: ServiceSpec): number[] =>
  ports.flatMap(({ nodePort }) => (nodePort ? [nodePort] : []));

/** Throws a 422 if policy, families and addresses contradict each other or a single-family cluster. */
export function withFamilies(service: Service, old: ServiceSpec | undefined, isStrict: boolean): ServiceSpec {
  const given = service.spec ?? {};
  if (!needsClusterIp(given)) return given;
  const isFree = given.clusterIP === "None" && Object.keys(given.selector ?? {}).length === 0;
  const policy = given.ipFamilyPolicy ?? old?.ipFamilyPolicy ?? (isFree ? "RequireDualStack" : "SingleStack");
  let spec: ServiceSpec = { ...given, ipFamilyPolicy: policy };
  const errors: field.FieldError[] = [];
  clusterIps(errors, spec, old, isStrict);
  refuseIfAny(service, errors);
  spec = fitPolicy(errors, spec, old);
  spec = withInferredFamilies(errors, spec);
  refuseIfAny(service, errors);
  const families = spec.ipFamilies ?? [];
  const first = families[0] ?? FAMILY;
  if (isFree) {
    // A headless Service without a selector may be dual-stack in any cluster.
    const isDual = policy !== "SingleStack" && families.length < 2;
    return {
      ...spec,
      ipFamilies: isDual ? [first, first === "IPv4" ? "IPv6" : "IPv4"] : [first, ...families.slice(1)],
    };
  }
  if (policy === "RequireDualStack") {
    errors.push(field.invalid(POLICY, policy, "this cluster is not configured for dual-stack services"));
  }
  families.forEach((family, i) => {
    if (family !== FAMILY) errors.push(field.invalid(FAMILIES.index(i), family, "not configured on this cluster"));
  });
  refuseIfAny(service, errors);
  return { ...spec, ipFamilies: [first] };
}

/** Policy SingleStack gives up the second family. Giving it up without this policy is an error. */
function fitPolicy(errors: field.FieldError[], given: ServiceSpec, old: ServiceSpec | undefined): ServiceSpec {
  let spec = given;
  const { ipFamilyPolicy: policy = null } = spec;
  const refuse = (detail: string): void => {
    errors.push(field.invalid(POLICY, policy, detail));
  };
  if (policy === "SingleStack") {
    if (old !== undefined && isSameList(spec.ipFamilies, old.ipFamilies)) {
      spec = put(spec, "ipFamilies", spec.ipFamilies?.slice(0, 1));
    }
    const wanted = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
    if (spec.clusterIPs?.length === 2) refuse(`${wanted} cluster IPs are specified`);
    if (spec.ipFamilies?.length === 2) refuse(`${wanted} IP families are specified`);
  } else if (old !== undefined) {
    if (isReduced(spec.clusterIPs, old.clusterIPs)) refuse("must be 'SingleStack' to release the secondary cluster IP");
    if (isReduced(spec.ipFamilies, old.ipFamilies)) refuse("must be 'SingleStack' to release the secondary IP family");
  }
  return spec;
}

function withInferredFamilies(errors: field.FieldError[], spec: ServiceSpec): ServiceSpec {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (clusterIPs[0] === "None") return spec;
  const families = [...ipFamilies];
  clusterIPs.forEach((ip, i) => {
    if (i < ipFamilies.length) return;
    const family = parseSloppyIp(ip)?.family === 6 ? "IPv6" : "IPv4";
    if (family === FAMILY) families.push(family);
    else errors.push(field.invalid(IPS.index(i), clusterIPs, `${family} is not configured on this cluster`));
  });
  return put(spec, "ipFamilies", families.length === 0 ? undefined : families);
}

type List = readonly string[] | undefined;

const isSameList = (a: List = [], b: List = []): boolean =>
  a.length === b.length && a.every((item, i) => item === b[i]);

const isReduced = (now: List = [], before: List = []): boolean => now.length > 0 && now.length < before.length;

function refuseIfAny(service: Service, errors: readonly field.FieldError[]): void {
  if (errors.length > 0) throw invalidService(service, ...errors);
}

export function invalidService({ metadata }: Service, ...errors: readonly field.FieldError[]): ApiError {
  return newInvalid({ group: "", kind: "Service" }, metadata?.name ?? "", errors);
}
