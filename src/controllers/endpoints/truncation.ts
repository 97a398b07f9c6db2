// An Endpoints object holds at most 1,000 addresses: ready ones first, each subset in proportion.
// Upstream: pkg/controller/endpoint/endpoints_controller.go, truncateEndpoints.

import type { EndpointSubset } from "#api/generated/types/core-v1.ts";

export const ADDRESSES_MAX = 1000;

export function countAddresses(subsets: readonly EndpointSubset[]): {
  readonly ready: number;
  readonly unready: number;
} {
  let [ready, unready] = [0, 0];
  for (const { addresses, notReadyAddresses } of subsets) {
    ready += addresses?.length ?? 0;
    unready += notReadyAddresses?.length ?? 0;
  }
  return { ready, unready };
}

/** Undefined: all addresses fit. */
export function truncated(subsets: readonly EndpointSubset[]): readonly EndpointSubset[] | undefined {
  const { ready, unready } = countAddresses(subsets);
  if (ready + unready <= ADDRESSES_MAX) return undefined;
  const cutsReady = ready > ADDRESSES_MAX;
  const part = cutsReady ? "addresses" : "notReadyAddresses";
  const max = cutsReady ? ADDRESSES_MAX : ADDRESSES_MAX - ready;
  const total = cutsReady ? ready : unready;
  let left = max;
  return subsets.map((subset) => {
    const list = subset[part] ?? [];
    // Rounded up, so the last subsets get less.
    const kept = list.slice(0, Math.min(left, Math.ceil((list.length / total) * max)));
    left -= kept.length;
    const { addresses: ready, ports } = subset;
    const [addresses = [], notReadyAddresses = []] = cutsReady ? [kept] : [ready, kept];
    return {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
      ...(ports === undefined ? {} : { ports }),
    };
  });
}
