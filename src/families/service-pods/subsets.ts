// The canonical form of an Endpoints object: each port is in one subset, and ports with the same addresses in the same
// states share one. Sorted by hashes of Go's printed form, which gives upstream's order.
// Upstream: pkg/api/v1/endpoints/util.go, RepackSubsets, SortSubsets.

import type { EndpointAddress, EndpointPort, EndpointSubset } from "#api/generated/types/core-v1.ts";
import { endpointPortHash, endpointSubsetHash } from "#api/hash.ts";
import { compareText } from "#kit/order.ts";

interface AddressState {
  readonly address: EndpointAddress;
  isReady: boolean;
}

interface PortAddresses {
  /** Absent: endpoints without ports. */
  readonly port?: EndpointPort;
  readonly addresses: Map<string, AddressState>;
}

export function repackSubsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] {
  const groups = new Map<string, { ports: EndpointPort[]; addresses: readonly AddressState[] }>();
  for (const { port, addresses } of byPort(subsets)) {
    const key = [...addresses]
      .map(([id, { isReady }]) => `${id} ${isReady}`)
      .toSorted()
      .join("\n");
    const group = groups.get(key) ?? { ports: [], addresses: [...addresses.values()] };
    groups.set(key, group);
    if (port !== undefined) group.ports.push(port);
  }
  const packed = [...groups.values()].map(({ ports, addresses }) =>
    subsetOf(
      addresses.filter(({ isReady }) => isReady),
      addresses.filter(({ isReady }) => !isReady),
      ports,
    ),
  );
  return sortedBy(packed, endpointSubsetHash);
}

/** An address is identified by its IP and the UID of its target. Unready wins over ready. */
function byPort(subsets: readonly EndpointSubset[]): readonly PortAddresses[] {
  const known = new Map<string, EndpointAddress>();
  const ports = new Map<unknown, PortAddresses>();
  const add = (at: PortAddresses, given: EndpointAddress, isReady: boolean): void => {
    const id = JSON.stringify([given.ip, given.targetRef?.uid ?? ""]);
    const address = known.get(id) ?? given;
    known.set(id, address);
    const state = at.addresses.get(id);
    if (state === undefined) at.addresses.set(id, { address, isReady });
    else state.isReady &&= isReady;
  };
  for (const { addresses = [], notReadyAddresses = [], ports: own = [] } of subsets) {
    for (const port of own.length === 0 ? [undefined] : own) {
      const id = portIdentity(port);
      const at = ports.get(id) ?? { ...(port === undefined ? {} : { port }), addresses: new Map() };
      ports.set(id, at);
      for (const address of addresses) add(at, address, true);
      for (const address of notReadyAddresses) add(at, address, false);
    }
  }
  return [...ports.values()].filter(({ addresses }) => addresses.size > 0);
}

/** Go compares application protocols by pointer: ports with one are equal only if they are the same object. */
function portIdentity(port: EndpointPort | undefined): unknown {
  if (port === undefined) return "";
  const { name = "", port: number, protocol = "", appProtocol } = port;
  return appProtocol === undefined ? JSON.stringify([name, number, protocol]) : port;
}

function subsetOf(
  ready: readonly AddressState[],
  unready: readonly AddressState[],
  ports: readonly EndpointPort[],
): EndpointSubset {
  const sorted = (list: readonly AddressState[]): readonly EndpointAddress[] =>
    list.map(({ address }) => address).toSorted(compareAddresses);
  return {
    ...(ready.length > 0 ? { addresses: sorted(ready) } : {}),
    ...(unready.length > 0 ? { notReadyAddresses: sorted(unready) } : {}),
    ...(ports.length > 0 ? { ports: sortedBy(ports, endpointPortHash) } : {}),
  };
}

function compareAddresses(a: EndpointAddress, b: EndpointAddress): number {
  return compareText(a.ip, b.ip) || compareText(a.targetRef?.uid ?? "", b.targetRef?.uid ?? "");
}

function sortedBy<T>(items: readonly T[], hashOf: (item: T) => string): readonly T[] {
  if (items.length < 2) return items;
  const hashed = items.map((item) => ({ item, hash: hashOf(item) }));
  return hashed.sort((a, b) => compareText(a.hash, b.hash)).map(({ item }) => item);
}
