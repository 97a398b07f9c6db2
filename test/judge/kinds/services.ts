// Services, as the real server judges them. What they are given is judged by service-cases.ts.

import type { KindRow } from "../kind-row.ts";

const port = { port: 80 };
const https = { name: "https", port: 443, targetPort: "tls" };
const condition = {
  type: "example.com/Ready",
  status: "True",
  reason: "R",
  message: "",
  lastTransitionTime: "2026-01-02T03:04:05Z",
};

export const services: KindRow = {
  label: "Service",
  apiVersion: "v1",
  kind: "Service",
  resource: "services",
  minimal: { spec: { ports: [port] } },
  full: {
    spec: {
      clusterIP: "None",
      selector: { app: "a" },
      ports: [{ ...port, name: "http", appProtocol: "example.com/h2" }, https],
      publishNotReadyAddresses: true,
      sessionAffinity: "ClientIP",
      trafficDistribution: "PreferClose",
    },
  },
  invalid: [
    {},
    { spec: { ports: [] } },
    { spec: { ports: [{ port: 0, protocol: "X" }] } },
    { spec: { ports: [port, https] } },
    { spec: { ports: [port], type: "Nonsense" } },
    { spec: { ports: [port], type: "ExternalName" } },
    { spec: { ports: [port], sessionAffinity: "Often", internalTrafficPolicy: "Some" } },
    { spec: { ports: [port], selector: { "bad key": "x" }, externalIPs: ["127.0.0.1", "x"] } },
    { spec: { ports: [port], clusterIP: "None", type: "NodePort" } },
    { metadata: { name: "1-digit" }, spec: { ports: [port] } },
  ],
  updates: [
    { spec: { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.9"] } },
    { spec: { ports: [https] } },
    { spec: { ports: null } },
    { spec: { sessionAffinity: "ClientIP" } },
    { spec: { sessionAffinity: "None", sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } } },
    { spec: { ipFamilies: ["IPv6"] } },
    { spec: { type: "ExternalName", externalName: "example.com" } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [condition] },
    { conditions: [{ ...condition, status: "Some", reason: "" }] },
    { loadBalancer: { ingress: [{ ip: "192.0.2.1" }] } },
    { loadBalancer: { ingress: [{ ip: "x", hostname: "Bad_" }] } },
    { conditions: [] },
  ],
  patches: {
    merge: { spec: { selector: { app: "m" } } },
    json: [{ op: "replace", path: "/spec/ports/0/port", value: 81 }],
    strategic: {
      spec: {
        ports: [
          { port: 82, name: "more" },
          { port: 81, name: "http" },
        ],
      },
    },
  },
  otherContent: { spec: { ports: [port], selector: { app: "other" } } },
};
