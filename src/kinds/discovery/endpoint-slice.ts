// Endpoint slices. Upstream: pkg/registry/discovery/endpointslice/strategy.go; pkg/apis/discovery/v1/defaults.go

import type * as discovery from "#api/generated/types/discovery-v1.ts";
import type { SchemaOnlyKind } from "#kinds/kind.ts";
import { each, nil } from "#kinds/parts/defaulting.ts";
import { ageOf, firstThree, nameOf, printer } from "#kinds/parts/printer.ts";
import { schemaOnly } from "#kinds/strategy.ts";

const slicePorts = (ports: readonly discovery.EndpointPort[]): string =>
  firstThree(ports.map(({ port, name }) => (port === undefined ? (name ?? "*") : String(port))));

export const endpointSlice: SchemaOnlyKind<discovery.EndpointSlice> = {
  key: "endpointslices.discovery.k8s.io",
  strategy: schemaOnly({ countsGeneration: true, countsLabels: true }),
  defaults: each("ports", nil({ name: "", protocol: "TCP" })),
  printer: printer<discovery.EndpointSlice>("Name|AddressType|Ports|Endpoints|Age", (slice, now) => [
    nameOf(slice),
    slice.addressType ?? "",
    slicePorts(slice.ports ?? []),
    firstThree((slice.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    ageOf(slice, now),
  ]),
};
