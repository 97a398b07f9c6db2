// Which ServiceCIDRs contain a range or an address, and whether one can be deleted without leaving addresses behind.
// Upstream: pkg/api/servicecidr/servicecidr.go; pkg/controller/servicecidrs/servicecidrs_controller.go, canDeleteCIDR.

import type { IPAddress, ServiceCIDR } from "#api/generated/types/networking-v1.ts";
import type { StoredCluster } from "#api/resource.ts";
import { addressNumber, type Cidr, containsCidr, overlaps, parseCidr } from "#rules/cidr.ts";
import { parseSloppyIp } from "#rules/ip.ts";

export type StoredServiceCidr = StoredCluster<ServiceCIDR>;
export type StoredIpAddress = StoredCluster<IPAddress>;

/** The label of addresses that the API server allocated to Services. */
const MANAGED_BY = "ipaddress.kubernetes.io/managed-by";
const ALLOCATOR = "ipallocator.k8s.io";
const FAMILY = "ipaddress.kubernetes.io/ip-family";

export function isManaged({ metadata }: StoredIpAddress): boolean {
  return metadata.labels?.[MANAGED_BY] === ALLOCATOR;
}

function prefixesOf({ spec }: StoredServiceCidr): readonly Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** True if a range of one contains a range of the other. */
export function isOverlapping(a: StoredServiceCidr, b: StoredServiceCidr): boolean {
  return prefixesOf(a).some((prefix) => prefixesOf(b).some((other) => overlaps(prefix, other)));
}

/** The network address is excluded, and for IPv4 the broadcast address too. */
export function containsAddress(cidr: StoredServiceCidr, { metadata }: StoredIpAddress): boolean {
  const ip = parseSloppyIp(metadata.name);
  if (ip === undefined) return false;
  const { family } = ip;
  const address = addressNumber(ip);
  return prefixesOf(cidr).some(
    (prefix) =>
      containsCidr(prefix, { family, first: address, last: address }) &&
      address !== prefix.first &&
      !(family === 4 && address === prefix.last),
  );
}

/**
 * True if every address of the ServiceCIDR is also in another one, even one that is being deleted, or if it has no
 * addresses.
 */
export function canBeDeleted(
  cidr: StoredServiceCidr,
  all: readonly StoredServiceCidr[],
  addresses: readonly StoredIpAddress[],
): boolean {
  const others = all.filter(({ metadata }) => metadata.name !== cidr.metadata.name);
  const hasParent = prefixesOf(cidr).every((prefix) =>
    others.some((other) => prefixesOf(other).some((outer) => containsCidr(outer, prefix))),
  );
  if (hasParent) return true;
  const families = new Set(prefixesOf(cidr).map(({ family }) => `IPv${family}`));
  return !addresses.some(
    (address) =>
      isManaged(address) &&
      families.has(address.metadata.labels?.[FAMILY] ?? "") &&
      containsAddress(cidr, address) &&
      !others.some((other) => containsAddress(other, address)),
  );
}
