// Hints of endpoints: for which zones and nodes kube-proxies should use them. A slice without other changes is written
// when its hints are wrong.
// Upstream: k8s.io/endpointslice/trafficdist; topologycache/utils.go, RemoveHintsFromSlices.

import type { Endpoint, EndpointHints } from "#api/generated/types/discovery-v1.ts";
import { type EndpointSlice, endpointsOf, type SliceDraft } from "./model.ts";

/** The slices of a Service and address type that will remain. */
export interface SlicesToHint {
  readonly create: readonly SliceDraft[];
  readonly update: readonly SliceDraft[];
  readonly unchanged: readonly EndpointSlice[];
}

export type HintedSlices = Pick<SlicesToHint, "create" | "update">;

export const isEndpointReady = ({ conditions }: Endpoint): boolean => conditions?.ready === true;

export function withHints(endpoint: Endpoint, hints: EndpointHints | undefined): Endpoint {
  const { hints: _, ...rest } = endpoint;
  return hints === undefined ? rest : { ...rest, hints };
}

export function withoutAnyHints(slices: SlicesToHint): HintedSlices {
  return hinted(slices, {
    isWrong: ({ hints }) => hints !== undefined,
    hint: (endpoint) => withHints(endpoint, undefined),
  });
}

/**
 * Endpoints serve their own zone, and with PreferSameNode their own node first. Endpoints that are not ready stay
 * unchanged.
 */
export function withTrafficHints(slices: SlicesToHint, prefersNode: boolean): HintedSlices {
  const hintsOf = ({ zone, nodeName }: Endpoint): EndpointHints | undefined => {
    const hints: EndpointHints = {
      ...(zone === undefined ? {} : { forZones: [{ name: zone }] }),
      ...(nodeName === undefined || !prefersNode ? {} : { forNodes: [{ name: nodeName }] }),
    };
    return Object.keys(hints).length === 0 ? undefined : hints;
  };
  return hinted(slices, {
    isWrong: (endpoint) => isEndpointReady(endpoint) && !hasHints(endpoint, hintsOf(endpoint)),
    hint: (endpoint) => (isEndpointReady(endpoint) ? withHints(endpoint, hintsOf(endpoint)) : endpoint),
  });
}

function hasHints({ hints }: Endpoint, wanted: EndpointHints | undefined): boolean {
  return (["forZones", "forNodes"] as const).every((part) => {
    const [has, wants] = [hints?.[part] ?? [], wanted?.[part] ?? []];
    return has.length === wants.length && has.every(({ name }, i) => name === wants[i]?.name);
  });
}

interface Hinting {
  readonly isWrong: (endpoint: Endpoint) => boolean;
  readonly hint: (endpoint: Endpoint) => Endpoint;
}

function hinted({ create, update, unchanged }: SlicesToHint, { isWrong, hint }: Hinting): HintedSlices {
  const wrong = unchanged.filter((slice) => endpointsOf(slice).some(isWrong));
  const change = (slice: SliceDraft): SliceDraft => ({ ...slice, endpoints: endpointsOf(slice).map(hint) });
  return { create: create.map(change), update: [...update, ...wrong].map(change) };
}
