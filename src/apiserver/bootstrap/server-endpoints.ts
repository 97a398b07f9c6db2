// Endpoints and EndpointSlice of the API server's own service, which no controller manages.
// Upstream: pkg/controlplane/reconcilers/{lease,endpointsadapter}.go
// Deviation: a server that listens on loopback publishes that address. Upstream looks for another address of the host.

import type { Endpoints } from "#api/generated/types/core-v1.ts";
import type { EndpointSlice } from "#api/generated/types/discovery-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { parseSloppyIp } from "#rules/ip.ts";
import type { ServerCore } from "../core.ts";
import { createOwn, keyOfObject, updateOwn } from "../write/own-objects.ts";

const PLACE = { name: "kubernetes", namespace: "default" };

/** Does nothing if the server's address is not a known IP address. */
export function bootstrapServerEndpoints(core: ServerCore): void {
  const [, ip = "", port = ""] = /^(.*):([0-9]+)$/.exec(core.serverAddress) ?? [];
  const address = ip.replace(/^\[|\]$/g, "");
  const isIpv6 = address.includes(":");
  if (parseSloppyIp(address) === undefined) return;
  const endpoints: Endpoints = {
    metadata: { ...PLACE, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port: Number(port), protocol: "TCP" }] }],
  };
  const slice: EndpointSlice = {
    metadata: { ...PLACE, labels: { "kubernetes.io/service-name": PLACE.name } },
    addressType: isIpv6 ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", protocol: "TCP", port: Number(port) }],
  };
  ensure(core, "endpoints", endpoints, (object) => object);
  ensure(core, "endpointslices.discovery.k8s.io", slice, (object) => withMeta(object, { generation: 1 }));
}

function ensure(
  core: ServerCore,
  table: string,
  expected: KubeObject,
  complete: (object: KubeObject) => KubeObject,
): void {
  const row = core.registry.row(table);
  if (row === undefined || createOwn(core, table, expected, complete) !== undefined) return;
  const stored = core.tableOf(row).get(keyOfObject(row, expected));
  if (stored === undefined) return;
  const { metadata, ...content } = expected;
  const labels = { ...stored.object.metadata?.labels, ...metadata?.labels };
  const changed = withMeta({ ...stored.object, ...content } as KubeObject, { labels });
  if (deepEqual(changed, stored.object)) return;
  const { generation } = stored.object.metadata ?? {};
  updateOwn(core, row, stored, generation === undefined ? changed : withMeta(changed, { generation: generation + 1 }));
}
