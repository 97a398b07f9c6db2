// Network policies, as the real server judges them.

import type { KindRow } from "../kind-row.ts";

const podSelector = { matchLabels: { app: "a" } };
const from = (...peers: object[]): object => ({ spec: { podSelector, ingress: [{ from: peers }] } });
const ports = (...list: object[]): object => ({ spec: { podSelector, egress: [{ ports: list }] } });

export const networkPolicies: KindRow = {
  label: "NetworkPolicy",
  apiVersion: "networking.k8s.io/v1",
  kind: "NetworkPolicy",
  resource: "networkpolicies",
  minimal: { spec: { podSelector: {} } },
  full: {
    spec: {
      podSelector,
      ingress: [
        {
          from: [{ podSelector, namespaceSelector: {} }, { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
          ports: [
            { port: 80, endPort: 90 },
            { port: "http", protocol: "UDP" },
          ],
        },
      ],
      egress: [{ to: [{ ipBlock: { cidr: "010.1.2.3/8" } }, { ipBlock: { cidr: "2001:DB8::/32" } }] }],
    },
  },
  invalid: [
    { spec: { podSelector: { matchLabels: { "bad key": "x" } } } },
    { spec: { podSelector, policyTypes: ["Ingress", "Sideways"] } },
    { spec: { podSelector, policyTypes: ["Ingress", "Egress", "Ingress"] } },
    from({}),
    from({ podSelector, ipBlock: { cidr: "10.0.0.0/8" } }),
    from({ ipBlock: {} }, { ipBlock: { cidr: "ten" } }),
    from({ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/16", "10.0.0.0/8", "x", "::/1"] } }),
    ports({ port: 0 }, { port: 70000, protocol: "ICMP" }, { endPort: 3 }),
    ports({ port: 80, endPort: 79 }, { port: "Bad Name", endPort: 80 }),
  ],
  updates: [
    { spec: { podSelector } },
    { spec: { ingress: [{}] } },
    { spec: { egress: [{ to: [{ ipBlock: { cidr: "bad" } }] }] } },
    { spec: { policyTypes: null } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { spec: { policyTypes: ["Ingress"] } },
    json: [{ op: "add", path: "/spec/ingress", value: [{ ports: [{ port: 80 }] }] }],
    strategic: { spec: { podSelector: { matchLabels: { tier: "x" } } } },
  },
  otherContent: { spec: { podSelector: {}, policyTypes: ["Egress"] } },
};
