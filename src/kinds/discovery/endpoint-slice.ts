// Endpoint slices. Upstream: pkg/registry/discovery/endpointslice/strategy.go; pkg/apis/discovery/v1/defaults.go

import { semanticEqual } from "#api/equality.ts";
import * as field from "#api/field-error.ts";
import type * as discovery from "#api/generated/types/discovery-v1.ts";
import { isDns1123Subdomain } from "#api/names.ts";
import type { Kind } from "#kinds/kind.ts";
import { each, nil } from "#kinds/parts/defaulting.ts";
import { ipWarnings } from "#kinds/parts/ip-warnings.ts";
import { firstGeneration, put, putMeta } from "#kinds/parts/preparing.ts";
import { ageOf, firstThree, nameOf, printer } from "#kinds/parts/printer.ts";
import { kindStrategy } from "#kinds/strategy.ts";
import { validateSlice, validateSliceUpdate } from "./endpoint-slice-validation.ts";

const HOSTNAME = "kubernetes.io/hostname";
const MANAGED_BY = "endpointslice.kubernetes.io/managed-by";
const OWN_CONTROLLERS = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/**
 * Clients of v1 cannot write deprecatedTopology. A node name that only the old slice's topology had becomes the
 * endpoint's nodeName.
 */
function dropTopology(slice: discovery.EndpointSlice, old?: discovery.EndpointSlice): discovery.EndpointSlice {
  const { endpoints } = slice;
  if (!endpoints || (old !== undefined && semanticEqual(old.endpoints, endpoints))) return slice;
  const oldNames = new Set((old?.endpoints ?? []).flatMap((endpoint) => endpoint.deprecatedTopology?.[HOSTNAME] || []));
  const kept = endpoints.map((endpoint) => {
    const name = endpoint.deprecatedTopology?.[HOSTNAME];
    const isKept = name !== undefined && oldNames.has(name) && isDns1123Subdomain(name).length === 0;
    const named = isKept && endpoint.nodeName === undefined ? { ...endpoint, nodeName: name } : endpoint;
    return put(named, "deprecatedTopology", undefined);
  });
  return { ...slice, endpoints: kept };
}

/** The generation counts changes of labels and of all fields except the metadata. */
function countSliceChange(slice: discovery.EndpointSlice, old: discovery.EndpointSlice): discovery.EndpointSlice {
  const isSame =
    semanticEqual(slice.endpoints, old.endpoints) &&
    semanticEqual(slice.ports, old.ports) &&
    slice.addressType === old.addressType &&
    semanticEqual(slice.metadata?.labels, old.metadata?.labels);
  return isSame ? slice : putMeta(slice, { generation: (old.metadata?.generation ?? 0) + 1 });
}

/** Controllers of this program write canonical addresses, so their slices are not checked. */
function addressWarnings({ metadata, endpoints }: discovery.EndpointSlice): string[] {
  if (OWN_CONTROLLERS.includes(metadata?.labels?.[MANAGED_BY] ?? "")) return [];
  return (endpoints ?? []).flatMap(({ addresses }, i) =>
    (addresses ?? []).flatMap((address, j) =>
      ipWarnings(address, field.newPath("endpoints").index(i).child("addresses").index(j)),
    ),
  );
}

const typeWarnings = ({ addressType }: discovery.EndpointSlice): string[] =>
  addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : [];

const strategy = kindStrategy<discovery.EndpointSlice>({
  prepareForCreate: (slice) => dropTopology(firstGeneration(slice)),
  validate: (slice, { gates }) => validateSlice(slice, gates.isEnabled("StrictIPCIDRValidation")),
  warningsOnCreate: (slice) => [...typeWarnings(slice), ...addressWarnings(slice)],
  prepareForUpdate: (slice, old) => dropTopology(countSliceChange(slice, old), old),
  validateUpdate: (slice, old, { gates }) => validateSliceUpdate(slice, old, gates.isEnabled("StrictIPCIDRValidation")),
  warningsOnUpdate: addressWarnings,
});

const slicePorts = (ports: readonly discovery.EndpointPort[]): string =>
  firstThree(ports.map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port))));

export const endpointSlice: Kind<discovery.EndpointSlice> = {
  key: "endpointslices.discovery.k8s.io",
  strategy,
  defaults: each("ports", nil({ name: "", protocol: "TCP" })),
  printer: printer<discovery.EndpointSlice>("Name|AddressType|Ports|Endpoints|Age", (slice, now) => [
    nameOf(slice),
    slice.addressType ?? "",
    slicePorts(slice.ports ?? []),
    firstThree((slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    ageOf(slice, now),
  ]),
};
