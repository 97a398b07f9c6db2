// Services, and the ranges of their addresses, for fuzzed requests. Requested addresses and ports are in the lower
// parts of the ranges. All others are allocated at random. A service with random ones releases nothing, because it
// could get the same again by chance.

import type { Place } from "./fuzz-kinds.ts";

const NETWORKING = "/apis/networking.k8s.io/v1";
/** The real server's repair loops send events, which other requests must not see. */
const NS = "/api/v1/namespaces/$ns-services";

const services: Place = {
  label: "services",
  collection: `${NS}/services`,
  apiVersion: "v1",
  kind: "Service",
  minimal: { spec: { ports: [{ port: 80 }], selector: { app: "a" } } },
  options: [
    { "/spec/clusterIP": "10.0.0.2" },
    { "/spec/clusterIP": "10.0.0.3", "/spec/clusterIPs": ["10.0.0.3"] },
    { "/spec/clusterIP": "10.0.0.4", "/spec/ipFamilyPolicy": "SingleStack" },
    { "/spec/clusterIP": "10.0.0.5", "/spec/ipFamilies": ["IPv4"] },
    { "/spec/clusterIP": "None" },
    { "/spec/type": "NodePort" },
    { "/spec/type": "NodePort", "/spec/ports/0/nodePort": 30_001 },
    { "/spec/type": "NodePort", "/spec/ports/0/nodePort": 30_002, "/spec/externalTrafficPolicy": "Local" },
    { "/spec/type": "LoadBalancer" },
    { "/spec/type": "LoadBalancer", "/spec/loadBalancerSourceRanges": ["10.0.0.0/8"] },
    { "/spec/type": "LoadBalancer", "/spec/allocateLoadBalancerNodePorts": false },
    { "/spec/type": "LoadBalancer", "/spec/loadBalancerClass": "example.com/own" },
    { "/spec/type": "LoadBalancer", "/spec/externalTrafficPolicy": "Local" },
    { "/spec/type": "LoadBalancer", "/spec/externalTrafficPolicy": "Local", "/spec/healthCheckNodePort": 30_003 },
    { "/spec/type": "ExternalName", "/spec/externalName": "example.com", "/spec/ports": undefined },
    { "/spec/ports/0/name": "web", "/spec/ports/1": { name: "dns", port: 53, protocol: "UDP", targetPort: "dns" } },
    { "/spec/ports/0": { name: "t", port: 53 }, "/spec/ports/1": { name: "u", port: 53, protocol: "UDP" } },
    { "/spec/ports/0/targetPort": 8080, "/spec/ports/0/appProtocol": "http" },
    { "/spec/sessionAffinity": "ClientIP" },
    { "/spec/sessionAffinity": "ClientIP", "/spec/sessionAffinityConfig": { clientIP: { timeoutSeconds: 7 } } },
    { "/spec/internalTrafficPolicy": "Local", "/spec/trafficDistribution": "PreferSameZone" },
    { "/spec/externalIPs": ["192.0.2.1"], "/spec/publishNotReadyAddresses": true },
    { "/spec/selector": undefined },
    { "/status/loadBalancer": { ingress: [{ ip: "192.0.2.8" }] } },
  ],
  changes: [
    { "/spec/selector": { app: "b" } },
    { "/spec/selector": undefined },
    { "/spec/type": "NodePort", "/spec/ports": [{ port: 80, nodePort: 30_011 }] },
    { "/spec/type": "NodePort", "/spec/ports": [{ name: "x", port: 80, targetPort: "web", nodePort: 30_012 }] },
    { "/spec/ports/0/targetPort": 81 },
    { "/spec/sessionAffinity": "ClientIP" },
    { "/spec/sessionAffinity": "None", "/spec/sessionAffinityConfig": undefined },
    { "/spec/internalTrafficPolicy": "Local" },
    { "/spec/trafficDistribution": "PreferClose" },
    { "/spec/publishNotReadyAddresses": true },
    { "/spec/externalIPs": ["192.0.2.2", "192.0.2.3"] },
    {
      "/spec/type": "LoadBalancer",
      "/spec/externalTrafficPolicy": "Local",
      "/spec/ports": [{ port: 80, nodePort: 30_013 }],
      "/spec/healthCheckNodePort": 30_014,
    },
  ],
  wrong: [
    { "/spec/ports": [] },
    { "/spec/ports": [{ port: 0 }, { port: 70_000 }] },
    { "/spec/ports": [{ port: 80 }, { port: 81 }] },
    { "/spec/ports": [{ port: 80, protocol: "ICMP", targetPort: "Bad_Name", appProtocol: "bad name" }] },
    {
      "/spec/ports": [
        { name: "a", port: 80 },
        { name: "b", port: 80 },
      ],
    },
    { "/spec/type": "ClusterIP", "/spec/ports/0/nodePort": 30_004 },
    { "/spec/type": "NodePort", "/spec/ports": [{ port: 80, nodePort: 12 }] },
    { "/spec/type": "NodePort", "/spec/clusterIP": "None" },
    { "/spec/type": "ExternalName" },
    { "/spec/type": "ExternalName", "/spec/externalName": "bad name", "/spec/clusterIP": "10.0.0.6" },
    { "/spec/type": "Nonsense" },
    { "/spec/clusterIP": "10.0.0.1" },
    { "/spec/clusterIP": "192.168.0.1" },
    { "/spec/clusterIP": "nowhere" },
    { "/spec/clusterIP": "10.0.0.7", "/spec/clusterIPs": ["10.0.0.8"] },
    { "/spec/clusterIPs": ["10.0.0.9", "fd00::1"] },
    { "/spec/ipFamilies": ["IPv6"] },
    { "/spec/ipFamilyPolicy": "RequireDualStack" },
    { "/spec/ipFamilyPolicy": "Nonsense", "/spec/ipFamilies": ["IPv4", "IPv4"] },
    { "/spec/sessionAffinity": "Nonsense", "/spec/internalTrafficPolicy": "Nonsense" },
    { "/spec/sessionAffinity": "ClientIP", "/spec/sessionAffinityConfig": { clientIP: { timeoutSeconds: 0 } } },
    { "/spec/externalTrafficPolicy": "Local" },
    { "/spec/externalTrafficPolicy": "Nonsense", "/spec/trafficDistribution": "Nonsense" },
    { "/spec/healthCheckNodePort": 30_005 },
    { "/spec/loadBalancerClass": "bad class!", "/spec/allocateLoadBalancerNodePorts": true },
    { "/spec/loadBalancerSourceRanges": ["nonsense"], "/spec/type": "LoadBalancer" },
    { "/spec/externalIPs": ["127.0.0.1", "nonsense"] },
    { "/spec/selector": { "bad key!": "x" } },
    { "/spec/ports": "text" },
    { "/spec/ports/0/port": "http" },
  ],
  status: [
    { "/status/loadBalancer": { ingress: [{ ip: "192.0.2.7", ipMode: "VIP" }] } },
    { "/status/loadBalancer": { ingress: [{ hostname: "lb.example.com", ports: [{ port: 80, protocol: "TCP" }] }] } },
    { "/status/loadBalancer": {} },
    {
      "/status/conditions": [
        { type: "A", status: "True", reason: "R", message: "m", lastTransitionTime: "2020-01-01T00:00:00Z" },
      ],
    },
  ],
  wrongStatus: [
    { "/status/loadBalancer": { ingress: [{ ip: "nonsense" }] } },
    { "/status/loadBalancer": { ingress: [{ hostname: "1.2.3.4" }, { ip: "192.0.2.7", ipMode: "Odd" }] } },
    { "/status/conditions": [{ type: "A", status: "Odd" }] },
    { "/status/loadBalancer": "x" },
  ],
  strategic: [
    { spec: { ports: [{ port: 80, targetPort: 82 }] } },
    { spec: { ports: [{ port: 80, name: "named", appProtocol: "example.com/own" }] } },
    { spec: { ports: [{ port: 80, $patch: "delete" }] } },
    { spec: { $retainKeys: ["ports", "type"], type: "ClusterIP" } },
    { status: { conditions: [{ type: "A", status: "False", reason: "S", message: "" }] } },
  ],
  fieldSelectors: ["spec.clusterIP=None", "spec.type=NodePort", "spec.type!=ClusterIP"],
};

const parentRef = { resource: "services", namespace: "$ns", name: "a" };

const addresses: Place = {
  label: "ipaddresses",
  collection: `${NETWORKING}/ipaddresses`,
  apiVersion: "networking.k8s.io/v1",
  kind: "IPAddress",
  // All names are hexadecimal.
  prefix: "fd00::",
  hasRuledNames: true,
  needsVersion: true,
  minimal: { spec: { parentRef } },
  options: [
    { "/spec/parentRef": { group: "example.com", resource: "things", name: "t" } },
    { "/spec/parentRef/name": "b" },
    { "/metadata/labels/ipaddress.kubernetes.io~1ip-family": "IPv6" },
  ],
  changes: [
    { "/metadata/labels/more": "1" },
    { "/metadata/annotations/more": "2" },
    { "/spec/parentRef/namespace": "$ns" },
  ],
  wrong: [
    { "/metadata/name": "fd00:0::1" },
    { "/metadata/name": "FD00::1" },
    { "/metadata/name": "::ffff:10.0.0.1" },
    { "/metadata/name": "nonsense" },
    { "/spec": undefined },
    { "/spec/parentRef": {} },
    { "/spec/parentRef": { group: "A_", resource: "a/b", namespace: "..", name: "%" } },
    { "/spec/parentRef/name": "other" },
    { "/spec/parentRef/uid": "1" },
    { "/spec/parentRef": "text" },
  ],
};

/** Ranges of the other IP family: services allocate from one range only. */
const cidrs: Place = {
  label: "servicecidrs",
  collection: `${NETWORKING}/servicecidrs`,
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  prefix: "$ns-",
  minimal: { spec: { cidrs: ["fd01::/112"] } },
  options: [
    { "/spec/cidrs": ["fd01::/112"] },
    { "/spec/cidrs": ["fd02::/64"] },
    { "/status/conditions": [{ type: "Ready", status: "False" }] },
  ],
  changes: [{ "/metadata/labels/more": "1" }, { "/metadata/annotations/more": "2" }, { "/spec/cidrs": ["fd01::/112"] }],
  wrong: [
    { "/spec": undefined },
    { "/spec/cidrs": ["fd01::1/112"] },
    { "/spec/cidrs": ["192.0.2.0/24", "192.0.3.0/24"] },
    { "/spec/cidrs": ["fd01::/112", "fd02::/112"] },
    { "/spec/cidrs": ["fd01::/112", "192.0.2.0/24", "fd02::/112"] },
    { "/spec/cidrs": ["nonsense", "FD01::/112"] },
    { "/spec/cidrs": ["fd03::/112"] },
    { "/spec/cidrs": "fd01::/112" },
    { "/spec/unknown": 1 },
  ],
  status: [
    {
      "/status/conditions": [
        { type: "Ready", status: "True", reason: "R", message: "m", lastTransitionTime: "2020-01-01T00:00:00Z" },
      ],
    },
    {
      "/status/conditions": [
        { type: "Ready", status: "False", reason: "No", message: "", lastTransitionTime: "2020-01-01T00:00:01Z" },
      ],
    },
    { "/status/conditions": [] },
  ],
  wrongStatus: [
    { "/status/conditions": [{ type: "Ready", status: "Odd" }] },
    { "/status/conditions": "x" },
    { "/status/conditions": [{ type: "bad type!", status: "True", reason: "bad reason", message: "m" }] },
  ],
  strategic: [
    { status: { conditions: [{ type: "Ready", status: "Unknown", reason: "Q", message: "" }] } },
    { spec: { cidrs: ["fd01::/112"] } },
  ],
};

export const servicePlaces: readonly Place[] = [services, addresses, cidrs];
