// Endpoint slices, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const ports = [{ port: 80 }];
const slice = (addressType: string, endpoint: object): object => ({ addressType, endpoints: [endpoint], ports });
const address = (addressType: string, text: string): object => slice(addressType, { addresses: [text] });
const withPorts = (...list: readonly object[]): object => ({ addressType: "IPv4", endpoints: [], ports: list });

export const endpointSlices: KindRow = {
  label: "EndpointSlice",
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  minimal: { addressType: "IPv4", endpoints: [{ addresses: ["10.1.1.1"] }], ports },
  full: {
    metadata: { name: "a", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv6",
    endpoints: [
      {
        addresses: ["2001:db8::1"],
        conditions: { ready: true, serving: true, terminating: false },
        hostname: "web-0",
        nodeName: "node-a",
        zone: "zone-a",
        hints: { forZones: [{ name: "zone-a" }], forNodes: [{ name: "node-a" }] },
        targetRef: { kind: "Pod", name: "web-0" },
        deprecatedTopology: { "kubernetes.io/hostname": "node-b" },
      },
      { addresses: ["2001:db8::2"] },
      { addresses: ["2001:db8::3"] },
      { addresses: ["2001:db8::4"] },
    ],
    ports: [
      { name: "http", port: 80, appProtocol: "kubernetes.io/h2c" },
      { name: "dns", port: 53, protocol: "UDP" },
      { name: "any", protocol: "SCTP" },
      { name: "more", port: 1 },
    ],
  },
  invalid: [
    { endpoints: [] },
    { addressType: "IP", endpoints: [] },
    address("IPv4", "ten"),
    address("IPv4", "010.1.1.1"),
    address("IPv4", "2001:db8::1"),
    address("IPv4", "127.0.0.1"),
    address("IPv6", "10.1.1.1"),
    address("IPv6", "2001:DB8::1"),
    address("IPv6", "::1"),
    address("FQDN", "localhost"),
    address("FQDN", "Www.example.com"),
    slice("IPv4", { addresses: [] }),
    slice("IPv4", { addresses: Array.from({ length: 101 }, (_, i) => `10.1.1.${i}`) }),
    slice("IPv4", { addresses: ["10.1.1.1"], nodeName: "Node A", hostname: "Web_0" }),
    slice("IPv4", { addresses: ["10.1.1.1"], hints: { forZones: [{ name: "a" }, { name: "a" }, { name: "b c" }] } }),
    slice("IPv4", {
      addresses: ["10.1.1.1"],
      hints: { forZones: Array.from({ length: 9 }, (_, i) => ({ name: `z${i}` })) },
    }),
    slice("IPv4", { addresses: ["10.1.1.1"], hints: { forNodes: [{ name: "A" }, { name: "A" }] } }),
    withPorts({ name: "H" }),
    withPorts({ name: "a", protocol: "HTTP" }, { name: "a", appProtocol: "a b" }),
  ],
  updates: [
    { endpoints: [{ addresses: ["10.1.1.2"], conditions: { ready: false } }] },
    { endpoints: [{ addresses: ["::ffff:10.1.1.2"] }] },
    { addressType: "IPv6", endpoints: [] },
    { ports: [{ port: 81 }] },
    { ports: null, endpoints: null },
    { metadata: { labels: { a: "b" }, generation: 9 } },
    { metadata: { annotations: { a: "b" } } },
  ],
  patches: {
    merge: { endpoints: [{ addresses: ["10.1.1.9"] }] },
    json: [{ op: "replace", path: "/ports/0/port", value: 81 }],
    strategic: { endpoints: [{ addresses: ["10.1.1.10"] }] },
  },
  otherContent: { addressType: "IPv4", endpoints: [{ addresses: ["10.1.1.7"] }], ports },
};
