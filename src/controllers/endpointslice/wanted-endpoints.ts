// The endpoints and ports that a Service should have: one endpoint for each of its pods that has an address of the family.
// Upstream: k8s.io/endpointslice/utils.go, podToEndpoint, getEndpointPorts, getAddressTypesForService.

import type { Endpoint, EndpointPort } from "#api/generated/types/discovery-v1.ts";
import { sortSlicePorts } from "#api/hash.ts";
import { endpointHostname, hasEndpoint, podAddresses, targetPort } from "#families/service-pods/endpoint-pods.ts";
import { hasClusterIp, type Pod, type Service } from "#families/service-pods/model.ts";
import { EndpointSet } from "#families/slices/endpoint-set.ts";
import { type AddressType, portKeyOf } from "#families/slices/model.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import { isPodReady } from "#rules/pod-status.ts";
import type { Node } from "./model.ts";

const ZONE = "topology.kubernetes.io/zone";

/** Endpoints with the same ports share slices. */
interface PortGroup {
  readonly key: string;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: EndpointSet;
}

interface WantedEndpoints {
  readonly groups: readonly PortGroup[];
  /** Pods whose Node is unknown; they are left out. */
  readonly withoutNode: readonly Pod[];
}

export function wantedEndpoints(
  service: Service,
  pods: readonly Pod[],
  nodeOf: (name: string) => Node | undefined,
  addressType: AddressType,
): WantedEndpoints {
  const groups = new Map<string, PortGroup>();
  const groupOf = portGroups(service, groups);
  const withoutNode: Pod[] = [];
  for (const pod of pods) {
    if (!hasEndpoint(pod)) continue;
    const { endpoints } = groupOf(pod);
    const node = nodeOf(pod.spec?.nodeName ?? "");
    if (node === undefined && !service.spec?.publishNotReadyAddresses) {
      withoutNode.push(pod);
      continue;
    }
    const endpoint = endpointOf(pod, node, service, addressType);
    if (endpoint.addresses.length > 0) endpoints.add(endpoint);
  }
  return { groups: [...groups.values()], withoutNode };
}

function endpointOf(pod: Pod, node: Node | undefined, service: Service, addressType: AddressType): Endpoint {
  const { metadata, spec } = pod;
  const serving = isPodReady(pod);
  const terminating = metadata.deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const { namespace, name, uid } = metadata;
  const zone = node?.metadata.labels?.[ZONE];
  const hostname = endpointHostname(pod, service);
  return {
    addresses: podAddresses(pod, addressType === "IPv4" ? 4 : 6).toSorted(),
    conditions: { ready, serving, terminating },
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(spec?.nodeName ? { nodeName: spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hostname === undefined ? {} : { hostname }),
  };
}

/** Pods differ only in the numbers of the Service's ports, so the numbers identify their group quickly. */
function portGroups(service: Service, groups: Map<string, PortGroup>): (pod: Pod) => PortGroup {
  const { ports = [] } = service.spec ?? {};
  const known = new Map<string, PortGroup>();
  return (pod) => {
    const numbers = ports.map((port) => targetPort(pod, port));
    const id = numbers.join();
    let group = known.get(id);
    if (group === undefined) {
      const offered = ports.flatMap(({ name = "", protocol = "TCP", appProtocol }, i): readonly EndpointPort[] => {
        const port = numbers[i];
        return port === undefined
          ? []
          : [{ name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }];
      });
      const sorted = sortSlicePorts(offered);
      const key = portKeyOf(sorted);
      group = groups.get(key) ?? { key, ports: sorted, endpoints: new EndpointSet() };
      groups.set(key, group);
      known.set(id, group);
    }
    return group;
  };
}

/** Old API servers leave the families out. A Service then has the family of its cluster IP, a headless one both. */
export function addressTypesOf(service: Service): readonly AddressType[] {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const named = ipFamilies.filter((family): family is AddressType => family === "IPv4" || family === "IPv6");
  if (named.length > 0) return [...new Set(named)];
  if (!hasClusterIp(service)) return ["IPv4", "IPv6"];
  return [parseSloppyIp(clusterIP)?.family === 6 ? "IPv6" : "IPv4"];
}
