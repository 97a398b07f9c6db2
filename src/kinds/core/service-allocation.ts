// Allocates values for services: a cluster IP, node ports, a health check port. They are allocated before validation
// and released if the write fails.
// Upstream: pkg/registry/core/service/storage/storage.go, beginCreate, beginUpdate, afterDelete; alloc.go

import * as field from "#api/field-error.ts";
import type { Service, ServicePort, ServiceSpec } from "#api/generated/types/core-v1.ts";
import { bareFailure, newInternalError } from "#api/status-error.ts";
import type { Rng } from "#base/rng.ts";
import type { Allocation, KindHooks, KindServer } from "#kinds/hooks.ts";
import { put } from "#kinds/parts/preparing.ts";
import { proxyToService } from "./kubelet-connections.ts";
import { allocateIp, allocateNextIp, RANGE_IS_FULL, releaseIp, tryIp } from "./service-addresses.ts";
import {
  invalidService,
  needsClusterIp,
  needsNodePorts,
  nodePortsOf,
  withAllocatedOf,
  withFamilies,
  withPluralIps,
} from "./service-ip-fields.ts";
import { NodePorts, type PortRequests } from "./service-node-ports.ts";
import { needsHealthCheck } from "./service-validation.ts";

const SPEC = field.newPath("spec");

/** A service that is being written. */
interface Draft {
  readonly service: Service;
  readonly old: ServiceSpec | undefined;
  readonly dryRun: boolean;
}

/** The allocation state of a server. */
interface Pool {
  readonly server: KindServer;
  readonly rng: Rng;
  readonly nodePorts: NodePorts;
}

export function serviceHooks(server: KindServer): KindHooks<Service> {
  const nodePorts = new NodePorts(server.rng("node-ports"), () => storedNodePorts(server));
  const pool: Pool = { server, rng: server.rng("addresses"), nodePorts };
  return {
    allocation: (service, old, dryRun) => allocate(pool, { service, old: old && (old.spec ?? {}), dryRun }),
    afterDelete: (service) => release(pool, service),
    connected: { proxy: proxyToService(server) },
  };
}

/** The node ports of all stored services. */
function* storedNodePorts(server: KindServer): Generator<number> {
  for (const { object } of server.objects("services").list()) yield* portsOf((object as Service).spec ?? {});
}

function allocate(pool: Pool, draft: Draft): Allocation<Service> {
  const { server, nodePorts } = pool;
  const { service, old, dryRun } = draft;
  const isStrict = server.gates.isEnabled("StrictIPCIDRValidation");
  let spec = service.spec ?? {};
  if (old !== undefined) spec = withAllocatedOf(old, spec);
  spec = withFamilies({ ...service, spec: withPluralIps(spec, old) }, old, isStrict);
  spec = withoutUselessPolicy(spec);
  const ports = nodePorts.begin(dryRun);
  const taken: string[] = [];
  const revert = (): void => {
    for (const ip of taken) releaseIp(server, ip);
    ports.revert();
  };
  try {
    if (isNewToIps(draft, spec)) {
      spec = withIp(pool, draft, spec);
      if (!dryRun && spec.clusterIP) taken.push(spec.clusterIP);
    }
    spec = old === undefined ? withNewPorts(draft, spec, ports) : withChangedPorts(draft, spec, old, ports);
    if (needsHealthCheck(spec) && !(old && needsHealthCheck(old))) spec = withHealthCheckPort(spec, ports);
  } catch (error) {
    revert();
    throw error;
  }
  const freed = !dryRun && old !== undefined && needsClusterIp(old) && !needsClusterIp(spec) ? ipsOf(old) : [];
  return {
    object: put(service, "spec", spec),
    commit() {
      for (const ip of freed) releaseIp(server, ip);
      ports.commit();
    },
    revert,
  };
}

/** Also deletes the endpoints with the service's name, so that a new service does not start with them. */
function release({ server, nodePorts }: Pool, { metadata, spec = {} }: Service): void {
  server.objects("endpoints").deleteAsServer(metadata?.namespace ?? "", metadata?.name ?? "");
  if (needsClusterIp(spec)) for (const ip of ipsOf(spec)) releaseIp(server, ip);
  for (const port of portsOf(spec)) nodePorts.release(port);
}

/** The node ports, and the health check port. */
function portsOf(spec: ServiceSpec): number[] {
  const { healthCheckNodePort } = spec;
  return needsHealthCheck(spec) && healthCheckNodePort
    ? [...nodePortsOf(spec), healthCheckNodePort]
    : nodePortsOf(spec);
}

export const ipsOf = ({ clusterIPs = [] }: ServiceSpec): readonly string[] =>
  clusterIPs[0] === "None" ? [] : clusterIPs;

/**
 * Upstream stores an internalTrafficPolicy that has no effect and hides it from readers. Invalid values are left for
 * validation.
 */
function withoutUselessPolicy(spec: ServiceSpec): ServiceSpec {
  const { internalTrafficPolicy: policy } = spec;
  if (needsClusterIp(spec) || (policy !== "Cluster" && policy !== "Local")) return spec;
  return put(spec, "internalTrafficPolicy", undefined);
}

/** True if the update gives the service its first cluster IP. An existing one is kept. */
function isNewToIps({ old }: Draft, spec: ServiceSpec): boolean {
  return needsClusterIp(spec) && spec.clusterIPs?.[0] !== "None" && (old === undefined || !needsClusterIp(old));
}

function withIp({ server, rng }: Pool, { service, dryRun }: Draft, spec: ServiceSpec): ServiceSpec {
  const wanted = spec.clusterIPs?.[0] ?? "";
  const allocated = dryRun
    ? tryIp(server, wanted)
    : wanted === ""
      ? allocateNextIp(server, service, rng)
      : allocateIp(server, service, wanted);
  if ("ip" in allocated) return { ...spec, clusterIP: allocated.ip, clusterIPs: [allocated.ip] };
  const { error } = allocated;
  if (error === RANGE_IS_FULL) {
    throw newInternalError(`failed to allocate a serviceIP for Service "${service.metadata?.name ?? ""}": ${error}`);
  }
  const what = wanted === "" ? "failed to allocate IP" : `failed to allocate IP ${wanted}`;
  throw invalidService(service, field.invalid(SPEC.child("clusterIPs"), [wanted], `${what}: ${error}`));
}

const hasNodePorts = ({ type }: ServiceSpec): boolean => type === "NodePort" || type === "LoadBalancer";

/** Ports with the same number and different protocols share a node port. Upstream: initNodePorts */
function withNewPorts({ service }: Draft, spec: ServiceSpec, requests: PortRequests): ServiceSpec {
  if (!hasNodePorts(spec) || spec.ports === undefined) return spec;
  const { ports } = spec;
  const byPort = new Map<number, number>();
  const take = (port: number, i: number): number => {
    refuseIf(requests.allocate(port), service, port, i);
    return port;
  };
  const given = ports.map((port, i): ServicePort => {
    const { nodePort = 0 } = port;
    if (nodePort === 0 && !needsNodePorts(spec)) return port;
    const shared = byPort.get(port.port);
    if (shared !== undefined) {
      if (nodePort === 0) return { ...port, nodePort: shared };
      if (nodePort !== shared) take(nodePort, i);
      return port;
    }
    const wanted = ports.find((other) => other.port === port.port && other.nodePort)?.nodePort;
    const allocated = wanted === undefined ? nextPort(requests) : take(wanted, i);
    byPort.set(port.port, allocated);
    return { ...port, nodePort: allocated };
  });
  return { ...spec, ports: given };
}

/** Upstream: txnUpdateNodePorts */
function withChangedPorts(
  { service }: Draft,
  spec: ServiceSpec,
  old: ServiceSpec,
  requests: PortRequests,
): ServiceSpec {
  let changed = spec;
  const before = nodePortsOf(old);
  if (hasNodePorts(spec)) {
    const taken = new Set(before);
    const seen = new Set<string>();
    const ports = spec.ports?.map((port, i): ServicePort => {
      let { nodePort = 0 } = port;
      if (nodePort === 0 && !needsNodePorts(spec)) return port;
      if (nodePort === 0) nodePort = nextPort(requests);
      else if (!taken.has(nodePort)) {
        refuseIf(requests.allocate(nodePort), service, nodePort, i);
        taken.add(nodePort);
      }
      const protocol = port.protocol ?? "";
      if (seen.has(`${protocol} ${nodePort}`))
        throw bareFailure(500, "", `duplicate nodePort: {${protocol} ${nodePort}}`);
      seen.add(`${protocol} ${nodePort}`);
      return { ...port, nodePort };
    });
    if (ports !== undefined) changed = { ...spec, ports };
  }
  const kept = hasNodePorts(spec) ? nodePortsOf(changed) : [];
  if (hasNodePorts(spec) || hasNodePorts(old)) {
    for (const port of before) if (!kept.includes(port)) requests.releaseLater(port);
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) requests.releaseLater(old.healthCheckNodePort ?? 0);
  return changed;
}

function withHealthCheckPort(spec: ServiceSpec, requests: PortRequests): ServiceSpec {
  const { healthCheckNodePort: wanted = 0 } = spec;
  if (wanted === 0) {
    const port = requests.allocateNext();
    if (port !== undefined) return { ...spec, healthCheckNodePort: port };
    throw newInternalError(`failed to allocate a HealthCheck NodePort 0: ${RANGE_IS_FULL}`);
  }
  const error = requests.allocate(wanted);
  if (error === undefined) return spec;
  throw newInternalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${error}`);
}

function nextPort(requests: PortRequests): number {
  const port = requests.allocateNext();
  if (port === undefined) throw newInternalError(`failed to allocate a nodePort: ${RANGE_IS_FULL}`);
  return port;
}

function refuseIf(error: string | undefined, service: Service, port: number, i: number): void {
  if (error === undefined) return;
  throw invalidService(service, field.invalid(SPEC.child("ports").index(i).child("nodePort"), port, error));
}
