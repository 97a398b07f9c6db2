// Which pods become endpoints of a Service, with which ports and host name.
// Upstream: k8s.io/endpointslice/utils.go, FindPort; k8s.io/endpointslice/util/controller_utils.go,
// ShouldPodBeInEndpoints, ShouldSetHostname.

import type { Container, ServicePort } from "#api/generated/types/core-v1.ts";
import { formatIp, parseSloppyIp } from "#rules/ip.ts";
import { isPodTerminal } from "#rules/pod-status.ts";
import type { Pod, Service } from "./model.ts";

/** The pod may still run, and it has an address. */
export function hasEndpoint(pod: Pod): boolean {
  return !isPodTerminal(pod) && (Boolean(pod.status?.podIP) || (pod.status?.podIPs ?? []).length > 0);
}

/** The pod's name in DNS, if its subdomain is the Service. */
export function endpointHostname({ spec, metadata }: Pod, service: Service): string | undefined {
  const { hostname = "", subdomain } = spec ?? {};
  const { name, namespace } = service.metadata;
  return hostname !== "" && subdomain === name && metadata.namespace === namespace ? hostname : undefined;
}

/** The pod's addresses of this family, in canonical form. */
export function podAddresses({ status }: Pod, family: 4 | 6): readonly string[] {
  return (status?.podIPs ?? []).flatMap(({ ip = "" }) => {
    const parsed = parseSloppyIp(ip);
    return parsed?.family === family ? [formatIp(parsed.bytes)] : [];
  });
}

/** Undefined: no container of the pod has a port of this name and protocol. */
export function targetPort({ spec }: Pod, { targetPort: target, protocol }: ServicePort): number | undefined {
  if (typeof target !== "string") return target ?? 0;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return namedPort(spec?.containers ?? [], target, protocol) ?? namedPort(sidecars, target, protocol);
}

function namedPort(containers: readonly Container[], name: string, protocol: string | undefined): number | undefined {
  for (const { ports = [] } of containers) {
    const port = ports.find((port) => port.name === name && port.protocol === protocol);
    if (port !== undefined) return port.containerPort;
  }
  return undefined;
}
