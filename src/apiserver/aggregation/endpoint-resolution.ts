// Resolves the Service of an APIService to an address, and finds problems of the Service without a request. Endpoints
// are used, never the cluster IP, because no kube-proxy runs next to the server.
// Upstream: k8s.io/apiserver/pkg/util/proxy, ResolveEndpoint; kube-aggregator pkg/controllers/status/remote

import type { APIService } from "#api/generated/types/apiregistration-v1.ts";
import type { Service, ServicePort } from "#api/generated/types/core-v1.ts";
import type { EndpointSlice } from "#api/generated/types/discovery-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { Availability } from "#kinds/apiregistration/availability-condition.ts";

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

export interface Backends {
  readonly service: Service | undefined;
  /** EndpointSlices of the service. */
  readonly slices: readonly EndpointSlice[];
}

const DEFAULT_PORT = 443;

/** Undefined if this server serves the group itself. */
export function referenceOf({ spec }: APIService): ServiceReference | undefined {
  const { service } = spec ?? {};
  if (service === undefined) return undefined;
  const { namespace = "", name = "", port = DEFAULT_PORT } = service;
  return { namespace, name, port };
}

/** Why the server cannot be reached; undefined if it must be probed. */
export function obviousFailure(reference: ServiceReference, { service, slices }: Backends): Availability | undefined {
  const { namespace, name, port } = reference;
  const named = `service/${name} in ${goQuote(namespace)}`;
  const failed = (reason: string, message: string): Availability => ({ status: "False", reason, message });
  if (service === undefined) return failed("ServiceNotFound", `${named} is not present`);
  if (typeOf(service) !== "ClusterIP") return undefined;
  const found = portOf(service, port);
  if (found === undefined) return failed("ServicePortError", `${named} is not listening on port ${port}`);
  if (slices.length === 0) return failed("EndpointsNotFound", `cannot find endpointslices for ${named}`);
  if (addressesOf(found, slices).length > 0) return undefined;
  const portName = goQuote(found.name ?? "");
  return failed("MissingEndpoints", `endpointslices for ${named} have no addresses with port name ${portName}`);
}

/** "host:port" of each usable endpoint; empty if there is none. */
export function resolve({ port }: ServiceReference, { service, slices }: Backends): readonly string[] {
  if (service === undefined) return [];
  const { externalName, ipFamilies: [family] = [] } = service.spec ?? {};
  if (typeOf(service) === "ExternalName") return externalName ? [`${externalName}:${port}`] : [];
  const found = portOf(service, port);
  // Endpoints of the service's first IP family come first.
  const isOther = ({ addressType }: EndpointSlice): number => (family === undefined || addressType === family ? 0 : 1);
  return found === undefined
    ? []
    : addressesOf(
        found,
        [...slices].sort((a, b) => isOther(a) - isOther(b)),
      );
}

const typeOf = ({ spec }: Service): string => spec?.type ?? "ClusterIP";

const portOf = ({ spec }: Service, wanted: number): ServicePort | undefined =>
  spec?.ports?.find(({ port }) => port === wanted);

function addressesOf({ name = "" }: ServicePort, slices: readonly EndpointSlice[]): readonly string[] {
  return slices.flatMap(({ ports, endpoints }) => {
    const port = ports?.find((each) => (each.name ?? "") === name)?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).flatMap(({ addresses: [address], conditions }) =>
      address === undefined || conditions?.ready === false ? [] : [hostPort(address, port)],
    );
  });
}

const hostPort = (host: string, port: number): string => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
