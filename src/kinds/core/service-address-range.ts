// A range of IPv4 addresses for services. Dynamic allocation uses the upper part first; the lower part is meant for
// addresses that users choose. Pure.
// Upstream: pkg/registry/core/service/ipallocator/ipallocator.go; bitmap.go, calculateRangeOffset

import type { Rng } from "#base/rng.ts";
import { formatIp, type ParsedIp, parseSloppyCidr } from "#rules/ip.ts";

export interface AddressRange {
  readonly cidr: string;
  /** The network address. */
  readonly network: number;
  /** First and last address that can be allocated. The range is empty if last is before first. */
  readonly first: number;
  readonly last: number;
  /** The start of the upper part. */
  readonly upper: number;
}

/** Undefined for a range of another family. */
export function addressRange(cidr: string): AddressRange | undefined {
  const parsed = parseSloppyCidr(cidr);
  if (parsed === undefined || parsed.family !== 4) return undefined;
  const size = 2 ** (32 - parsed.prefixLength);
  const network = Math.floor(addressNumber(parsed) / size) * size;
  return { cidr, network, first: network + 1, last: network + size - 2, upper: network + 1 + lowerPart(size) };
}

function lowerPart(size: number): number {
  return size <= 16 ? 0 : Math.min(Math.max(16, Math.floor(size / 16)), 256);
}

export const addressNumber = ({ bytes }: ParsedIp): number => bytes.reduce((number, byte) => number * 256 + byte, 0);

export const addressText = (address: number): string =>
  formatIp([24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256));

export const isInRange = ({ first, last }: AddressRange, address: number): boolean =>
  address >= first && address <= last;

/** Every address of the range once: the upper part from a random start, then the lower part. */
export function* candidates({ first, upper, last }: AddressRange, rng: Rng): Generator<string> {
  yield* roundabout(upper, last, rng);
  yield* roundabout(first, upper - 1, rng);
}

function* roundabout(from: number, to: number, rng: Rng): Generator<string> {
  const count = to - from + 1;
  if (count <= 0) return;
  const start = rng.below(count);
  for (let i = 0; i < count; i++) yield addressText(from + ((start + i) % count));
}
