// The endpoints that mirror an Endpoints object: one slice for each address type and set of ports.
// Upstream: pkg/controller/endpointslicemirroring, reconcile, desiredCalc, addressToEndpoint.

import type { EndpointPort as CorePort, EndpointAddress } from "#api/generated/types/core-v1.ts";
import type { Endpoint, EndpointPort } from "#api/generated/types/discovery-v1.ts";
import { sortSlicePorts } from "#api/hash.ts";
import { repackSubsets } from "#families/service-pods/subsets.ts";
import { EndpointSet } from "#families/slices/endpoint-set.ts";
import { type AddressType, portKeyOf } from "#families/slices/model.ts";
import { formatIp, parseSloppyIp } from "#rules/ip.ts";
import type { Endpoints } from "./model.ts";

export interface Mirror {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: EndpointSet;
}

export interface WantedMirrors {
  /** By mirrorKey. Includes mirrors without endpoints, whose slices are deleted. */
  readonly mirrors: ReadonlyMap<string, Mirror>;
  readonly invalid: readonly string[];
  /** The number of invalid addresses and of those beyond the maximum of a subset. */
  readonly skipped: number;
}

/** Slices with equal keys belong to the same mirror. */
export function mirrorKey(addressType: string, ports: readonly EndpointPort[] | null | undefined): string {
  return `${addressType}-${portKeyOf(ports)}`;
}

export function wantedMirrors({ subsets = [] }: Endpoints, endpointsMax: number): WantedMirrors {
  const mirrors = new Map<string, Mirror>();
  const invalid: string[] = [];
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(subsets)) {
    const slicePorts = sortSlicePorts(ports.map(slicePort));
    const mirrorOf = (addressType: AddressType): Mirror => {
      const key = mirrorKey(addressType, slicePorts);
      const mirror = mirrors.get(key) ?? { addressType, ports: slicePorts, endpoints: new EndpointSet() };
      mirrors.set(key, mirror);
      return mirror;
    };
    const byFamily = { 4: mirrorOf("IPv4"), 6: mirrorOf("IPv6") };
    let added = 0;
    const add = (address: EndpointAddress, ready: boolean): void => {
      if (added >= endpointsMax) return;
      const ip = parseSloppyIp(address.ip);
      if (ip === undefined) {
        invalid.push(address.ip);
        return;
      }
      byFamily[ip.family].endpoints.add(endpointOf(address, formatIp(ip.bytes), ready));
      added++;
    };
    for (const address of addresses) add(address, true);
    for (const address of notReadyAddresses) add(address, false);
    skipped += addresses.length + notReadyAddresses.length - added;
  }
  return { mirrors, invalid, skipped };
}

function slicePort({ name = "", port, protocol = "", appProtocol }: CorePort): EndpointPort {
  return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
}

function endpointOf({ targetRef, nodeName, hostname }: EndpointAddress, ip: string, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(targetRef === undefined ? {} : { targetRef }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(hostname ? { hostname } : {}),
  };
}
