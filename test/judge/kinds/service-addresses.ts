// Service CIDRs and IP addresses, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const apiVersion = "networking.k8s.io/v1";
const condition = {
  type: "Ready",
  status: "True",
  reason: "R",
  message: "",
  lastTransitionTime: "2026-01-02T03:04:05Z",
};

export const serviceCidrs: KindRow = {
  label: "ServiceCIDR",
  apiVersion,
  kind: "ServiceCIDR",
  resource: "servicecidrs",
  isClusterScoped: true,
  minimal: { spec: { cidrs: ["10.99.0.0/24"] } },
  full: { spec: { cidrs: ["10.99.0.0/24", "2001:db8::/64"] } },
  invalid: [
    {},
    { spec: { cidrs: ["10.99.0.0"] } },
    { spec: { cidrs: ["010.99.0.0/24"] } },
    { spec: { cidrs: ["10.99.0.1/24", "2001:DB8::/64"] } },
    { spec: { cidrs: ["10.99.0.0/24", "10.98.0.0/24"] } },
    { spec: { cidrs: ["10.99.0.0/24", "2001:db8::/64", "10.98.0.0/24"] } },
  ],
  updates: [
    { spec: { cidrs: ["10.98.0.0/24"] } },
    { spec: { cidrs: ["10.99.0.0/24", "2001:db8::/64"] } },
    { spec: { cidrs: ["10.99.0.0/24"] } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [{ conditions: [condition] }, { conditions: [{ ...condition, status: "Odd" }] }, { conditions: [] }],
  patches: {
    merge: { metadata: { labels: { m: "1" } } },
    json: [{ op: "add", path: "/metadata/annotations", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { spec: { cidrs: ["10.99.0.0/24", "2001:db8::/64"] } },
};

const parentRef = { resource: "services", namespace: "nowhere", name: "s" };

export const ipAddresses: KindRow = {
  label: "IPAddress",
  apiVersion,
  kind: "IPAddress",
  resource: "ipaddresses",
  isClusterScoped: true,
  name: "192.0.2.7",
  minimal: { spec: { parentRef } },
  full: { spec: { parentRef: { ...parentRef, group: "example.com" } } },
  invalid: [
    {},
    { spec: { parentRef: {} } },
    { spec: { parentRef: { ...parentRef, group: "Bad_", resource: "a/b", namespace: ".." } } },
    { metadata: { name: "name" }, spec: { parentRef } },
    { metadata: { name: "192.0.2.07" }, spec: { parentRef } },
    { metadata: { name: "2001:DB8::1" }, spec: { parentRef } },
  ],
  updates: [
    { spec: { parentRef: { name: "t" } } },
    { spec: { parentRef: null } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { labels: { m: "1" } } },
    json: [{ op: "add", path: "/metadata/annotations", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { spec: { parentRef: { ...parentRef, name: "t" } } },
};
