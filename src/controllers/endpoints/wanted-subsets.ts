// The subsets that a Service should have: the address of each of its pods, with each of its ports.
// Upstream: pkg/controller/endpoint/endpoints_controller.go, syncService, podToEndpointAddressForService,
// addEndpointSubset.

import type { EndpointAddress, EndpointPort, EndpointSubset, ServicePort } from "#api/generated/types/core-v1.ts";
import { endpointHostname, hasEndpoint, podAddresses, targetPort } from "#families/service-pods/endpoint-pods.ts";
import { hasClusterIp, type Pod, type Service } from "#families/service-pods/model.ts";
import { repackSubsets } from "#families/service-pods/subsets.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import { isPodReady } from "#rules/pod-status.ts";

export function wantedSubsets(service: Service, pods: readonly Pod[]): readonly EndpointSubset[] {
  const { ports = [], clusterIP, publishNotReadyAddresses = false } = service.spec ?? {};
  const portOf = endpointPorts();
  const subsets = pods.flatMap((pod): readonly EndpointSubset[] => {
    const address = isPublished(pod, publishNotReadyAddresses) ? addressOf(pod, service) : undefined;
    if (address === undefined) return [];
    const part = publishNotReadyAddresses || isPodReady(pod) ? "addresses" : "notReadyAddresses";
    if (ports.length === 0) return clusterIP === "None" ? [{ [part]: [address] }] : [];
    return ports.flatMap((port) => {
      const number = targetPort(pod, port);
      return number === undefined ? [] : [{ [part]: [address], ports: [portOf(port, number)] }];
    });
  });
  return repackSubsets(subsets);
}

/** A pod that is being deleted is left out, unless the Service publishes not-ready addresses. */
function isPublished(pod: Pod, publishesAll: boolean): boolean {
  return hasEndpoint(pod) && (publishesAll || pod.metadata.deletionTimestamp === undefined);
}

function addressOf(pod: Pod, service: Service): EndpointAddress | undefined {
  const [ip] = podAddresses(pod, familyOf(service, pod));
  if (ip === undefined) return undefined;
  const { namespace, name, uid } = pod.metadata;
  const hostname = endpointHostname(pod, service);
  return {
    ip,
    nodeName: pod.spec?.nodeName ?? "",
    targetRef: { kind: "Pod", namespace, name, uid },
    ...(hostname === undefined ? {} : { hostname }),
  };
}

/** Old API servers leave the families out. The family is then that of the Service's cluster IP, or of the pod's IP. */
function familyOf(service: Service, { status }: Pod): 4 | 6 {
  const { ipFamilies = [], clusterIP = "" } = service.spec ?? {};
  const [first] = ipFamilies;
  if (first !== undefined) return first === "IPv6" ? 6 : 4;
  const known = hasClusterIp(service) ? clusterIP : (status?.podIP ?? "");
  return parseSloppyIp(known)?.family === 6 ? 6 : 4;
}

/** One object for each Service port and number: ports with an application protocol are compared by identity. */
function endpointPorts(): (port: ServicePort, number: number) => EndpointPort {
  const known = new Map<ServicePort, Map<number, EndpointPort>>();
  return (servicePort, port) => {
    const numbers = known.get(servicePort) ?? new Map<number, EndpointPort>();
    known.set(servicePort, numbers);
    const { name = "", protocol = "TCP", appProtocol } = servicePort;
    const made = numbers.get(port) ?? {
      ...(name === "" ? {} : { name }),
      port,
      protocol,
      ...(appProtocol === undefined ? {} : { appProtocol }),
    };
    numbers.set(port, made);
    return made;
  };
}
