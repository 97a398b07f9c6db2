// Allocated service addresses: each is an IPAddress object named after the address. The ranges come from the
// ServiceCIDR objects. Upstream: pkg/registry/core/service/ipallocator/{ipallocator,cidrallocator}.go

import type { Service } from "#api/generated/types/core-v1.ts";
import type { IPAddress, ServiceCIDR } from "#api/generated/types/networking-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { newInvalid } from "#api/status-error.ts";
import type { Rng } from "#base/rng.ts";
import type { KindServer } from "#kinds/hooks.ts";
import { validateIpAddress } from "#kinds/networking/ip-address.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import {
  type AddressRange,
  addressNumber,
  addressRange,
  addressText,
  candidates,
  isInRange,
} from "./service-address-range.ts";
import { FAMILY } from "./service-ip-fields.ts";

export const IP_ADDRESSES = "ipaddresses.networking.k8s.io";
export const SERVICE_CIDRS = "servicecidrs.networking.k8s.io";
export const MANAGED_BY = "ipaddress.kubernetes.io/managed-by";
export const ALLOCATOR = "ipallocator.k8s.io";
export const RANGE_IS_FULL = "range is full";

export type Allocated = { readonly ip: string } | { readonly error: string };

export function allocateIp(server: KindServer, service: Service, ip: string): Allocated {
  const address = numberOf(ip);
  if (!rangesOf(server).some(({ range, isReady }) => isReady && isInRange(range, address))) {
    return { error: "the provided network does not match the current range" };
  }
  const error = createIpAddress(server, addressText(address), service);
  return error === undefined ? { ip } : { error };
}

export function allocateNextIp(server: KindServer, service: Service, rng: Rng): Allocated {
  const addresses = server.objects(IP_ADDRESSES);
  for (const { range, isReady } of rangesOf(server)) {
    if (!isReady) continue;
    for (const ip of candidates(range, rng)) {
      if (addresses.get("", ip) !== undefined) continue;
      const error = createIpAddress(server, ip, service);
      return error === undefined ? { ip } : { error };
    }
  }
  return { error: RANGE_IS_FULL };
}

/** A dry run only checks that the address is in range. Without a requested address it returns the network address. */
export function tryIp(server: KindServer, ip: string): Allocated {
  const [any] = rangesOf(server);
  if (any === undefined || !any.isReady) return { error: "allocator not ready" };
  const { range } = any;
  if (ip === "") return { ip: addressText(range.network) };
  const address = numberOf(ip);
  if (isInRange(range, address)) return { ip };
  const valid = `The range of valid IPs is ${range.cidr}`;
  return { error: `the provided IP (${addressText(address)}) is not in the valid range. ${valid}` };
}

export function releaseIp(server: KindServer, ip: string): void {
  const parsed = parseSloppyIp(ip);
  if (parsed?.family === 4) server.objects(IP_ADDRESSES).deleteAsServer("", addressText(addressNumber(parsed)));
}

/** Returns why the object could not be created. */
export function createIpAddress(server: KindServer, ip: string, { metadata }: Service): string | undefined {
  const { namespace = "", name = "" } = metadata ?? {};
  const address = {
    metadata: { name: ip, labels: { "ipaddress.kubernetes.io/ip-family": FAMILY, [MANAGED_BY]: ALLOCATOR } },
    spec: { parentRef: { resource: "services", namespace, name } },
  };
  const errors = validateIpAddress(address as IPAddress);
  if (errors.length > 0) return newInvalid({ group: "networking.k8s.io", kind: "IPAddress" }, ip, errors).message;
  const stored = server.objects(IP_ADDRESSES).createAsServer(address as KubeObject);
  return stored === undefined ? "provided IP is already allocated" : undefined;
}

interface OfferedRange {
  readonly range: AddressRange;
  /** At least one ServiceCIDR with this range is ready. */
  readonly isReady: boolean;
}

function rangesOf(server: KindServer): readonly OfferedRange[] {
  const ranges = new Map<string, OfferedRange>();
  for (const { object } of server.objects(SERVICE_CIDRS).list()) {
    for (const cidr of (object as ServiceCIDR).spec?.cidrs ?? []) {
      const range = addressRange(cidr);
      if (range === undefined) continue;
      ranges.set(cidr, { range, isReady: ranges.get(cidr)?.isReady || isReady(object as ServiceCIDR) });
    }
  }
  return [...ranges.values()];
}

/** A ServiceCIDR without a Ready condition counts as ready. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  if (metadata?.deletionTimestamp !== undefined) return false;
  const condition = status?.conditions?.find(({ type }) => type === "Ready");
  return condition === undefined || condition.status === "True";
}

/** NaN, which is in no range, for text that is not an IPv4 address. */
function numberOf(ip: string): number {
  const parsed = parseSloppyIp(ip);
  return parsed?.family === 4 ? addressNumber(parsed) : Number.NaN;
}
