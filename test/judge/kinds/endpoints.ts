// Endpoints, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const subset = (ip: string, more: object = {}): object => ({ subsets: [{ addresses: [{ ip, ...more }] }] });
const withPorts = (...ports: readonly object[]): object => ({ subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports }] });

export const endpoints: KindRow = {
  label: "Endpoints",
  apiVersion: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  minimal: { subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ port: 80 }] }] },
  full: {
    metadata: { name: "a", labels: { "endpoints.kubernetes.io/managed-by": "someone" } },
    subsets: [
      {
        addresses: [
          { ip: "10.1.1.1", hostname: "web-0", nodeName: "node-a", targetRef: { kind: "Pod", name: "web-0" } },
          { ip: "2001:db8::1" },
        ],
        notReadyAddresses: [{ ip: "10.1.1.2" }],
        ports: [
          { name: "http", port: 80, appProtocol: "kubernetes.io/h2c" },
          { name: "dns", port: 53, protocol: "UDP" },
        ],
      },
      { notReadyAddresses: [{ ip: "10.1.1.3" }] },
    ],
  },
  invalid: [
    subset("ten"),
    subset("010.1.1.1"),
    subset("::ffff:10.1.1.1"),
    subset("0.0.0.0"),
    subset("127.0.0.1"),
    subset("fe80::1"),
    subset("224.0.0.1"),
    subset("10.1.1.1", { hostname: "Web_0", nodeName: "Node A" }),
    { subsets: [{ ports: [{ port: 80 }] }] },
    withPorts({ port: 0 }),
    withPorts({ port: 80 }, { port: 81 }),
    withPorts({ port: 80, protocol: "HTTP", name: "H", appProtocol: "a b" }),
  ],
  updates: [
    { subsets: [{ notReadyAddresses: [{ ip: "10.1.1.1" }], ports: [{ port: 80 }] }] },
    { subsets: [{ addresses: [{ ip: "2001:DB8::1" }], ports: [{ port: 80 }] }] },
    { subsets: null },
    { metadata: { labels: { a: "b" } } },
    subset("10.1.1"),
  ],
  patches: {
    merge: { subsets: [{ addresses: [{ ip: "10.1.1.9" }], ports: [{ port: 80 }] }] },
    json: [{ op: "replace", path: "/subsets/0/ports/0/port", value: 81 }],
    strategic: { subsets: [{ addresses: [{ ip: "10.1.1.10" }] }] },
  },
  otherContent: { subsets: [{ addresses: [{ ip: "10.1.1.7" }], ports: [{ port: 80 }] }] },
};
