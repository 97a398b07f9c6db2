// Ranges of IP addresses as numbers: containment, overlap and subnets.
// Upstream: Go's net.IPNet; k8s.io/utils/net.

import { formatIp, type ParsedIp, parseSloppyCidr } from "./ip.ts";

export interface Cidr {
  readonly family: 4 | 6;
  /** The address of the network. */
  readonly first: bigint;
  readonly last: bigint;
  readonly prefixLength: number;
}

const bitsOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

/** Bits after the prefix are dropped, as by net.ParseCIDR. Undefined for invalid text. */
export function parseCidr(text: string): Cidr | undefined {
  const parsed = parseSloppyCidr(text);
  if (parsed === undefined) return undefined;
  const { family, isMapped, prefixLength } = parsed;
  return cidrAt(family, addressNumber(parsed), isMapped ? Math.max(0, prefixLength - 96) : prefixLength);
}

/** The range with this prefix length that contains the address. */
function cidrAt(family: 4 | 6, address: bigint, prefixLength: number): Cidr {
  const shift = BigInt(bitsOf(family) - prefixLength);
  const first = (address >> shift) << shift;
  return { family, first, last: first + (1n << shift) - 1n, prefixLength };
}

export function formatCidr({ family, first, prefixLength }: Cidr): string {
  return `${formatAddress(family, first)}/${prefixLength}`;
}

export function formatAddress(family: 4 | 6, address: bigint): string {
  const length = bitsOf(family) / 8;
  return formatIp(Array.from({ length }, (_, i) => Number((address >> BigInt(8 * (length - 1 - i))) & 0xffn)));
}

export function addressNumber({ bytes }: ParsedIp): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

/** Whether the range contains the whole other range or the address. A range contains itself. */
export function containsCidr(range: Cidr, other: Pick<Cidr, "family" | "first" | "last">): boolean {
  return range.family === other.family && range.first <= other.first && other.last <= range.last;
}

/** Of two ranges that overlap, one contains the other. */
export function overlaps(a: Cidr, b: Cidr): boolean {
  return containsCidr(a, b) || containsCidr(b, a);
}

/** The number of subnets with this prefix length. */
export function subnetCount({ prefixLength }: Cidr, subnetLength: number): number {
  return 2 ** (subnetLength - prefixLength);
}

/** The range's subnet with this prefix length and index. */
export function subnetAt({ family, first }: Cidr, subnetLength: number, index: number): Cidr {
  return cidrAt(family, first + (BigInt(index) << BigInt(bitsOf(family) - subnetLength)), subnetLength);
}

/** The indexes of the first and last subnet that overlap the other range; undefined when there is none. */
export function subnetsOf(
  range: Cidr,
  subnetLength: number,
  other: Cidr,
): { readonly from: number; readonly to: number } | undefined {
  if (containsCidr(other, range)) return { from: 0, to: subnetCount(range, subnetLength) - 1 };
  if (!containsCidr(range, other)) return undefined;
  const shift = BigInt(bitsOf(range.family) - subnetLength);
  return { from: Number((other.first - range.first) >> shift), to: Number((other.last - range.first) >> shift) };
}
