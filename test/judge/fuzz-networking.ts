// Parts of ingresses, network policies, runtime classes and flow schemas for fuzzed requests.

import type { Place } from "./fuzz-kinds.ts";

const NETWORKING = "networking.k8s.io/v1";
const FLOW = "flowcontrol.apiserver.k8s.io/v1";
const backend = { service: { name: "web", port: { number: 80 } } };
const subjects = [{ kind: "User", user: { name: "u" } }];
const resourceRules = [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], namespaces: ["team"] }];

export const networkingPlaces: readonly Place[] = [
  {
    label: "ingresses",
    collection: `/apis/${NETWORKING}/namespaces/$ns/ingresses`,
    apiVersion: NETWORKING,
    kind: "Ingress",
    minimal: { spec: { defaultBackend: backend } },
    options: [
      { "/spec/rules": [{ host: "a.example.com", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] },
      {
        "/spec/rules": [{ host: "*.example.com", http: { paths: [{ pathType: "ImplementationSpecific", backend }] } }],
      },
      { "/spec/tls": [{ hosts: ["a.example.com"], secretName: "s" }] },
      { "/spec/ingressClassName": "nginx" },
      { "/metadata/annotations/kubernetes.io~1ingress.class": "nginx" },
      { "/spec/defaultBackend": { resource: { kind: "Bucket", name: "b" } } },
    ],
    changes: [
      { "/spec/defaultBackend/service/port": { name: "http" } },
      { "/spec/rules": [{ host: "b.example.com" }] },
      { "/spec/ingressClassName": "other" },
      { "/spec/tls": [] },
    ],
    wrong: [
      { "/spec/defaultBackend": {} },
      { "/spec/defaultBackend": undefined },
      { "/spec/defaultBackend/service/port": { number: 0 } },
      { "/spec/defaultBackend/service/name": "Web" },
      { "/spec/rules": [{ host: "10.0.0.1", http: { paths: [] } }] },
      { "/spec/rules": [{ http: { paths: [{ path: "x", pathType: "Exact", backend: {} }, { backend }] } }] },
      { "/spec/tls": [{ hosts: ["*"], secretName: "S" }] },
      { "/spec/ingressClassName": "" },
    ],
    status: [
      { "/status/loadBalancer/ingress": [{ ip: "10.0.0.1" }] },
      { "/status/loadBalancer/ingress": [{ hostname: "a.example.com", ports: [{ port: 80, protocol: "TCP" }] }] },
      { "/status/loadBalancer/ingress": [{ ip: "010.0.0.1" }, { ip: "2001:DB8::1" }] },
    ],
    wrongStatus: [
      { "/status/loadBalancer/ingress": [{ ip: "x" }, { hostname: "10.0.0.1" }] },
      { "/status/loadBalancer": "x" },
    ],
    strategic: [{ spec: { rules: [{ host: "s.example.com" }] } }, { spec: { tls: [{ hosts: ["s"] }] } }],
  },
  {
    label: "ingressclasses",
    collection: `/apis/${NETWORKING}/ingressclasses`,
    apiVersion: NETWORKING,
    kind: "IngressClass",
    prefix: "$ns-",
    minimal: { spec: { controller: "example.com/c" } },
    options: [
      { "/spec/parameters": { kind: "P", name: "p" } },
      { "/spec/parameters": { apiGroup: "example.com", kind: "P", name: "p", scope: "Namespace", namespace: "team" } },
    ],
    changes: [{ "/spec/parameters": { kind: "Q", name: "q" } }, { "/spec/parameters": undefined }],
    wrong: [
      { "/spec/controller": "example.com/other" },
      { "/spec/controller": "nothing" },
      { "/spec/parameters": { kind: "", name: "a/b", scope: "X" } },
      { "/spec/parameters": { kind: "P", name: "p", scope: "Namespace" } },
      { "/spec/parameters": { kind: "P", name: "p", namespace: "team" } },
    ],
    strategic: [{ spec: { parameters: { kind: "S", name: "s" } } }],
  },
  {
    label: "networkpolicies",
    collection: `/apis/${NETWORKING}/namespaces/$ns/networkpolicies`,
    apiVersion: NETWORKING,
    kind: "NetworkPolicy",
    minimal: { spec: { podSelector: {} } },
    options: [
      { "/spec/podSelector": { matchLabels: { app: "a" } } },
      { "/spec/ingress": [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }] },
      { "/spec/egress": [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }] }] },
      { "/spec/policyTypes": ["Egress"] },
      { "/spec/egress": [{ to: [{ ipBlock: { cidr: "10.1.2.3/8" } }] }] },
    ],
    changes: [
      { "/spec/podSelector": { matchExpressions: [{ key: "a", operator: "Exists" }] } },
      { "/spec/policyTypes": ["Ingress"] },
      { "/spec/ingress": [{ ports: [{ port: "http", protocol: "SCTP" }] }] },
    ],
    wrong: [
      { "/spec/policyTypes": ["None"] },
      { "/spec/podSelector": { matchExpressions: [{ key: "a", operator: "In" }] } },
      { "/spec/ingress": [{ from: [{}] }] },
      { "/spec/egress": [{ to: [{ ipBlock: { cidr: "x" } }, { podSelector: {}, ipBlock: { cidr: "10.0.0.0/8" } }] }] },
      { "/spec/egress": [{ to: [{ ipBlock: { cidr: "10.0.0.0/8", except: ["11.0.0.0/8", "::/0"] } }] }] },
      {
        "/spec/ingress": [{ ports: [{ port: 0, endPort: 1 }, { endPort: 5 }, { port: 9, endPort: 8, protocol: "X" }] }],
      },
    ],
    strategic: [{ spec: { podSelector: { matchLabels: { s: "1" } } } }],
  },
  {
    label: "runtimeclasses",
    collection: "/apis/node.k8s.io/v1/runtimeclasses",
    apiVersion: "node.k8s.io/v1",
    kind: "RuntimeClass",
    prefix: "$ns-",
    needsVersion: true,
    minimal: { handler: "runc" },
    options: [
      { "/overhead": { podFixed: { cpu: "100m", memory: "64Mi" } } },
      { "/scheduling": { nodeSelector: { a: "b" } } },
      { "/scheduling": { tolerations: [{ key: "a", operator: "Exists" }] } },
    ],
    changes: [
      { "/overhead": { podFixed: { cpu: "0.2" } } },
      { "/scheduling": { nodeSelector: { "beta.kubernetes.io/os": "linux" } } },
      { "/overhead": undefined },
    ],
    wrong: [
      { "/handler": "runsc" },
      { "/handler": "" },
      { "/overhead": { podFixed: { cpu: "-1" } } },
      { "/overhead": { podFixed: { nonsense: "1" } } },
      { "/scheduling": { tolerations: [{ key: "a" }, { key: "a" }, { effect: "X" }] } },
    ],
    strategic: [{ scheduling: { nodeSelector: { s: "1" } } }],
  },
  {
    label: "flowschemas",
    collection: `/apis/${FLOW}/flowschemas`,
    apiVersion: FLOW,
    kind: "FlowSchema",
    prefix: "$ns-",
    minimal: { spec: { priorityLevelConfiguration: { name: "level" } } },
    options: [
      { "/spec/matchingPrecedence": 12 },
      { "/spec/distinguisherMethod": { type: "ByUser" } },
      { "/spec/rules": [{ subjects, resourceRules }] },
      { "/spec/rules": [{ subjects, nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/a/*"] }] }] },
    ],
    changes: [
      { "/spec/matchingPrecedence": 13 },
      { "/spec/rules": [{ subjects, resourceRules }] },
      { "/spec/priorityLevelConfiguration": { name: "other" } },
    ],
    wrong: [
      { "/spec/matchingPrecedence": 1 },
      { "/spec/priorityLevelConfiguration": undefined },
      { "/spec/distinguisherMethod": { type: "X" } },
      { "/spec/rules": [{ subjects: [{ kind: "X" }, { kind: "User" }], resourceRules: [{}] }] },
      { "/spec/rules": [{ subjects, nonResourceRules: [{ verbs: ["x"], nonResourceURLs: ["a"] }] }] },
    ],
    status: [{ "/status/conditions": [{ type: "Dangling", status: "True" }] }, { "/status/conditions": [] }],
    wrongStatus: [{ "/status/conditions": [{ status: "True" }] }],
    strategic: [{ spec: { matchingPrecedence: 14 } }],
  },
  {
    label: "prioritylevelconfigurations",
    collection: `/apis/${FLOW}/prioritylevelconfigurations`,
    apiVersion: FLOW,
    kind: "PriorityLevelConfiguration",
    prefix: "$ns-",
    minimal: { spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } },
    options: [
      { "/spec/limited/nominalConcurrencyShares": 3 },
      { "/spec/limited/limitResponse": { type: "Queue", queuing: { queues: 16, handSize: 4 } } },
      { "/spec/limited/borrowingLimitPercent": 5 },
    ],
    changes: [
      { "/spec/limited/nominalConcurrencyShares": 0 },
      { "/spec/limited/lendablePercent": 30 },
      { "/spec/limited/limitResponse": { type: "Queue", queuing: {} } },
    ],
    wrong: [
      { "/spec/type": "Exempt" },
      { "/spec/limited": undefined },
      { "/spec/limited/lendablePercent": 101, "/spec/limited/borrowingLimitPercent": -1 },
      { "/spec/limited/limitResponse": { type: "Queue", queuing: { queues: 2, handSize: 3 } } },
      { "/spec/limited/limitResponse": { type: "Drop" } },
      { "/spec/exempt": {} },
    ],
    status: [{ "/status/conditions": [{ type: "Busy", status: "True" }] }],
    wrongStatus: [{ "/status/conditions": [{ status: "True" }] }],
    strategic: [{ spec: { limited: { lendablePercent: 40 } } }],
  },
];
