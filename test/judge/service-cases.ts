// The server's allocations for services: cluster addresses, node ports and health check ports, their objects, and the
// effect of updates, dry runs and deletes. Requested addresses and ports are in the lower parts of their ranges and
// compared exactly. All others are random, and only their equality counts: no service may get again what it released.

import type { JudgeCase, Step } from "./case.ts";
import { applyYaml, asTable, captureVersion, del, get, jsonPatch, merge, patch, post, put } from "./steps.ts";

const SERVICES = "/api/v1/namespaces/$ns/services";
const ONE = `${SERVICES}/a`;
const ADDRESSES = "/apis/networking.k8s.io/v1/ipaddresses";
const CIDRS = "/apis/networking.k8s.io/v1/servicecidrs";

const http = { port: 80 };
const service = (spec: object = {}, name = "a"): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { ports: [http], ...spec },
});
const create = (spec?: object, name?: string): Step => post(SERVICES, service(spec, name));
const captureIp = { capture: { ip: "spec.clusterIP" } };
const dry = (step: Step): Step => ({ ...step, target: `${step.target}?dryRun=All` });
const change = (spec: object): Step => patch(ONE, merge, { spec });

/** Each spec in a separate service. */
const each = (...specs: readonly object[]): readonly Step[] => specs.map((spec, i) => create(spec, `s-${i}`));

/** The target port is the server's own port. */
const withoutTargetPort = (body: { spec: { ports: readonly object[] } }): unknown => ({
  ...body,
  spec: { ...body.spec, ports: body.spec.ports.map((port) => ({ ...port, targetPort: 0 })) },
});

export const serviceCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.4.r10 Service: an address of its own, as an object, until it is deleted",
    steps: [
      post(SERVICES, service(), captureIp),
      get(`${ADDRESSES}/$ip`),
      get(`${ADDRESSES}/$ip`, asTable),
      get(ONE, asTable),
      get(`${SERVICES}?fieldSelector=spec.clusterIP%3D$ip`),
      create({ clusterIP: "$ip" }, "b"),
      del(ONE),
      get(`${ADDRESSES}/$ip`),
      create({ clusterIP: "$ip" }, "b"),
      get(`${ADDRESSES}/$ip`),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: addresses that are asked for",
    steps: [
      create({ clusterIP: "10.0.0.2" }),
      get(`${ADDRESSES}/10.0.0.2`),
      create({ clusterIP: "10.0.0.2" }, "b"),
      create({ clusterIP: "10.0.0.1" }, "b"),
      create({ clusterIP: "10.0.0.3", clusterIPs: ["10.0.0.3"] }, "c"),
      ...[
        { clusterIP: "10.0.0.0" },
        { clusterIP: "10.0.0.255" },
        { clusterIP: "10.0.1.7" },
        { clusterIP: "192.168.1.1" },
        { clusterIP: "fd00::1" },
        { clusterIP: "010.0.0.4" },
        { clusterIP: "::ffff:10.0.0.4" },
        { clusterIP: "10.0.0.256" },
        { clusterIP: "nowhere" },
        { clusterIPs: ["10.0.0.4"] },
        { clusterIP: "10.0.0.4", clusterIPs: ["10.0.0.5"] },
        { clusterIP: "10.0.0.4", clusterIPs: ["10.0.0.4", "10.0.0.5"] },
        { clusterIP: "10.0.0.4", clusterIPs: ["10.0.0.4", "fd00::1"] },
        { clusterIP: "10.0.0.4", clusterIPs: ["10.0.0.4", "None"] },
        { clusterIP: "None", clusterIPs: ["None", "10.0.0.4"] },
        { clusterIP: "10.0.0.4", ports: [{ port: 0 }] },
      ].map((spec) => create(spec, "refused")),
      get(`${ADDRESSES}/10.0.0.4`),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: without an address of its own",
    steps: [
      create({ clusterIP: "None", selector: { app: "a" } }),
      get(ONE, asTable),
      create({ clusterIP: "None" }, "b"),
      create({ clusterIP: "None", clusterIPs: ["None"], ports: [] }, "c"),
      create({ clusterIP: "None", ipFamilyPolicy: "SingleStack" }, "d"),
      create({ clusterIP: "None", ipFamilies: ["IPv6"] }, "e"),
      create({ clusterIP: "None", ipFamilies: ["IPv6"], selector: { app: "a" } }, "f"),
      create({ clusterIP: "None", type: "NodePort" }, "g"),
      create({ clusterIP: "None", type: "LoadBalancer" }, "h"),
      create({ clusterIP: "None", selector: { app: "a" }, ipFamilyPolicy: "RequireDualStack" }, "i"),
      create({ clusterIP: "None", selector: { app: "a" }, ipFamilyPolicy: "PreferDualStack" }, "j"),
      change({ clusterIP: "10.0.0.6" }),
      change({ clusterIP: "10.0.0.6", clusterIPs: ["10.0.0.6"] }),
      change({ clusterIP: "" }),
      change({ selector: null }),
      change({ type: "NodePort" }),
      patch(`${SERVICES}/b`, merge, { spec: { ipFamilies: ["IPv4"] } }),
      patch(`${SERVICES}/b`, merge, { spec: { ipFamilyPolicy: "SingleStack" } }),
      patch(`${SERVICES}/b`, merge, { spec: { ipFamilyPolicy: "RequireDualStack" } }),
      patch(`${SERVICES}/c`, merge, { spec: { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6", "IPv4"] } }),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: families and policies that a cluster of one family does not have",
    steps: [
      ...each(
        { ipFamilyPolicy: "SingleStack" },
        { ipFamilyPolicy: "PreferDualStack" },
        { ipFamilyPolicy: "RequireDualStack" },
        { ipFamilyPolicy: "Both" },
        { ipFamilies: ["IPv4"] },
        { ipFamilies: ["IPv6"] },
        { ipFamilies: ["IPv4", "IPv6"] },
        { ipFamilies: ["IPv4", "IPv6"], ipFamilyPolicy: "PreferDualStack" },
        { ipFamilies: ["IPv4", "IPv4"], ipFamilyPolicy: "PreferDualStack" },
        { ipFamilies: ["IPv5"] },
        { ipFamilies: ["IPv6"], clusterIP: "10.0.0.7" },
      ),
      create({ ipFamilyPolicy: "PreferDualStack" }),
      change({ ipFamilyPolicy: "SingleStack" }),
      change({ ipFamilyPolicy: "RequireDualStack" }),
      change({ ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv4", "IPv6"] }),
      change({ ipFamilyPolicy: null, ipFamilies: null }),
      change({ ipFamilies: ["IPv6"] }),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: an address stays what it is",
    steps: [
      post(SERVICES, service(), { capture: { ip: "spec.clusterIP", rv: "metadata.resourceVersion" } }),
      put(ONE, service({ ports: [{ port: 81 }] })),
      put(ONE, service({ clusterIP: "$ip" })),
      put(ONE, service({ clusterIP: "$ip", clusterIPs: ["$ip"] })),
      change({ clusterIP: "10.0.0.8" }),
      change({ clusterIP: "10.0.0.8", clusterIPs: ["10.0.0.8"] }),
      change({ clusterIPs: ["10.0.0.8"] }),
      change({ clusterIP: "" }),
      change({ clusterIPs: null }),
      change({ clusterIP: null, clusterIPs: null }),
      change({ clusterIP: "None" }),
      patch(ONE, jsonPatch, [{ op: "remove", path: "/spec/clusterIPs" }]),
      get(`${ADDRESSES}/10.0.0.8`),
      get(ONE),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: node ports",
    steps: [
      create({
        type: "NodePort",
        ports: [
          { name: "a", port: 80 },
          { name: "b", port: 81, nodePort: 30_001 },
        ],
      }),
      get(ONE, asTable),
      put(
        ONE,
        service({
          type: "NodePort",
          ports: [
            { name: "b", port: 81 },
            { name: "a", port: 80 },
          ],
        }),
      ),
      put(
        ONE,
        service({
          type: "NodePort",
          ports: [
            { name: "c", port: 82 },
            { name: "a", port: 80, nodePort: 30_002 },
          ],
        }),
      ),
      create({ type: "NodePort", ports: [{ port: 80, nodePort: 30_002 }] }, "b"),
      create({ type: "NodePort", ports: [{ port: 80, nodePort: 30_001 }] }, "b"),
      ...[
        [{ port: 80, nodePort: 80 }],
        [{ port: 80, nodePort: 32_768 }],
        [{ port: 80, nodePort: -1 }],
        [{ port: 80, nodePort: 70_000 }],
        [
          { name: "x", port: 80, nodePort: 30_003 },
          { name: "y", port: 81, nodePort: 30_003 },
        ],
        [
          { name: "x", port: 80, nodePort: 30_003 },
          { name: "y", port: 80, nodePort: 30_003 },
        ],
      ].map((ports) => create({ type: "NodePort", ports }, "refused")),
      create({ type: "ClusterIP", ports: [{ port: 80, nodePort: 30_003 }] }, "refused"),
      create(
        {
          type: "NodePort",
          ports: [
            { name: "t", port: 53, protocol: "TCP" },
            { name: "u", port: 53, protocol: "UDP" },
          ],
        },
        "dns",
      ),
      create(
        {
          type: "NodePort",
          ports: [
            { name: "t", port: 53, protocol: "TCP" },
            { name: "u", port: 53, protocol: "UDP", nodePort: 30_003 },
            { name: "s", port: 53, protocol: "SCTP", nodePort: 30_004 },
          ],
        },
        "mixed",
      ),
      patch(`${SERVICES}/mixed`, jsonPatch, [{ op: "replace", path: "/spec/ports/2/nodePort", value: 30_003 }]),
      patch(`${SERVICES}/mixed`, jsonPatch, [{ op: "replace", path: "/spec/ports/2/nodePort", value: 30_001 }]),
      patch(`${SERVICES}/mixed`, jsonPatch, [{ op: "replace", path: "/spec/ports/2/nodePort", value: 1 }]),
      put(
        `${SERVICES}/mixed`,
        service(
          {
            type: "NodePort",
            ports: [
              { port: 1, nodePort: 30_005 },
              { name: "z", port: 2, nodePort: 30_005 },
            ],
          },
          "mixed",
        ),
      ),
      del(`${SERVICES}/b`),
      create({ type: "NodePort", ports: [{ port: 80, nodePort: 30_001 }] }, "c"),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: load balancers and health checks",
    steps: [
      create({ type: "LoadBalancer" }),
      get(ONE, asTable),
      change({ externalTrafficPolicy: "Local" }),
      put(ONE, service({ type: "LoadBalancer", externalTrafficPolicy: "Local" })),
      change({ healthCheckNodePort: 30_011 }),
      change({ externalTrafficPolicy: "Cluster" }),
      change({ type: "ClusterIP" }),
      create({ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30_012 }, "b"),
      create({ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30_012 }, "c"),
      create({ type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 12 }, "c"),
      create({ type: "NodePort", externalTrafficPolicy: "Local", healthCheckNodePort: 30_013 }, "c"),
      create({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false }, "d"),
      create(
        { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 1, nodePort: 30_014 }] },
        "e",
      ),
      patch(`${SERVICES}/d`, merge, { spec: { allocateLoadBalancerNodePorts: true } }),
      patch(`${SERVICES}/e`, merge, { spec: { type: "NodePort", allocateLoadBalancerNodePorts: null } }),
      del(`${SERVICES}/b`),
      create({ type: "NodePort", ports: [{ port: 1, nodePort: 30_012 }] }, "f"),
      patch(`${ONE}/status`, merge, { status: { loadBalancer: { ingress: [{ ip: "192.0.2.7" }] } } }),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: types that change",
    steps: [
      post(SERVICES, service(), captureIp),
      change({ type: "NodePort" }),
      change({ type: "LoadBalancer" }),
      change({ type: "ClusterIP" }),
      change({ type: "ExternalName" }),
      change({ type: "ExternalName", externalName: "example.com" }),
      get(`${ADDRESSES}/$ip`),
      get(ONE),
      get(ONE, asTable),
      create({ clusterIP: "$ip" }, "b"),
      change({ type: "ClusterIP", externalName: null }),
      change({ type: "ExternalName", externalName: "example.com", clusterIP: "10.0.0.9" }),
      change({ type: "ExternalName", externalName: "example.com", clusterIP: null, clusterIPs: null }),
      change({ type: "NodePort", clusterIP: "10.0.0.9", ports: [{ port: 80, nodePort: 30_051 }] }),
      get(`${ADDRESSES}/10.0.0.9`),
      change({ type: "ExternalName", externalName: "example.com", ports: null }),
      change({ type: "ClusterIP", clusterIP: "None", ports: null }),
      get(`${ADDRESSES}/10.0.0.9`),
      change({ type: "ExternalName", externalName: "example.com" }),
      change({ type: "Unknown" }),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: names elsewhere",
    steps: [
      create({ type: "ExternalName", externalName: "example.com", ports: null }),
      create({ type: "ExternalName", externalName: "example.com", internalTrafficPolicy: "Cluster" }, "b"),
      create({ type: "ExternalName", externalName: "example.com", internalTrafficPolicy: "Nobody" }, "c"),
      create({ type: "ExternalName", externalName: "example.com", clusterIP: "10.0.0.10" }, "c"),
      create({ type: "ExternalName", externalName: "example.com", ipFamilies: ["IPv4"] }, "c"),
      create({ type: "ExternalName", externalName: "example.com", ports: [{ port: 1, nodePort: 30_021 }] }, "c"),
      create({ type: "ExternalName" }, "d"),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: a dry run takes nothing and shows what it would",
    steps: [
      dry(create()),
      dry(create({ clusterIP: "10.0.0.11" })),
      dry(create({ clusterIP: "10.0.0.1" })),
      dry(create({ clusterIP: "192.168.1.1" })),
      dry(create({ clusterIP: "10.0.0.0" })),
      dry(create({ type: "NodePort" })),
      dry(
        create({
          type: "NodePort",
          ports: [
            { port: 1, name: "a", nodePort: 30_031 },
            { port: 2, name: "b" },
          ],
        }),
      ),
      dry(create({ type: "NodePort", ports: [{ port: 1, nodePort: 12 }] })),
      dry(create({ type: "LoadBalancer", externalTrafficPolicy: "Local" })),
      get(`${ADDRESSES}/10.0.0.11`),
      create({ clusterIP: "10.0.0.11", type: "NodePort", ports: [{ port: 1, nodePort: 30_031 }] }),
      dry(create({ type: "NodePort", ports: [{ port: 1, nodePort: 30_031 }] }, "b")),
      dry(change({ type: "ExternalName", externalName: "example.com" })),
      dry(del(ONE)),
      get(`${ADDRESSES}/10.0.0.11`),
      create({ type: "NodePort", ports: [{ port: 1, nodePort: 30_031 }] }, "b"),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: what is refused keeps nothing",
    steps: [
      create({ clusterIP: "10.0.0.12", type: "NodePort", ports: [{ port: 0, nodePort: 30_041 }] }),
      post(SERVICES, { metadata: { name: "Upper_Case" }, spec: { clusterIP: "10.0.0.12", ports: [http] } }),
      post(SERVICES, { metadata: {}, spec: { clusterIP: "10.0.0.12", ports: [http] } }),
      post(SERVICES, { metadata: { name: "a/b" }, spec: { clusterIP: "10.0.0.12", ports: [http] } }),
      post(SERVICES, { metadata: { generateName: "$ns-" }, spec: { clusterIP: "10.0.0.12", ports: [http] } }),
      get(`${ADDRESSES}/10.0.0.12`),
      create(),
      create({ clusterIP: "10.0.0.13", type: "NodePort", ports: [{ port: 1, nodePort: 30_042 }] }),
      get(`${ADDRESSES}/10.0.0.13`),
      change({ type: "NodePort", ports: [{ port: 0, nodePort: 30_042 }] }),
      create({ clusterIP: "10.0.0.13", type: "NodePort", ports: [{ port: 1, nodePort: 30_042 }] }, "b"),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: applied, and by PUT where there is none",
    steps: [
      patch(`${ONE}?fieldManager=one`, applyYaml, service({ type: "NodePort" }), captureIp),
      patch(`${ONE}?fieldManager=one`, applyYaml, service({ type: "NodePort" })),
      patch(`${ONE}?fieldManager=two`, applyYaml, service({ clusterIP: "$ip" })),
      patch(`${ONE}?fieldManager=two&force=true`, applyYaml, service({ clusterIP: "$ip" })),
      put(`${SERVICES}/b`, service({ clusterIP: "10.0.0.14" }, "b")),
      put(`${SERVICES}/c`, service({ clusterIP: "10.0.0.14" }, "c")),
      dry(put(`${SERVICES}/c`, service({}, "c"))),
      put(`${SERVICES}/c`, service({}, "c")),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: what finalizers keep keeps its address",
    steps: [
      post(SERVICES, {
        ...service({ clusterIP: "10.0.0.15" }),
        metadata: { name: "a", finalizers: ["example.com/wait"] },
      }),
      post("/api/v1/namespaces/$ns/endpoints", { metadata: { name: "a" } }),
      del(ONE),
      get(`${ADDRESSES}/10.0.0.15`),
      get("/api/v1/namespaces/$ns/endpoints/a"),
      patch(`${ONE}/status`, merge, { metadata: { finalizers: null } }),
      get(ONE),
      get(`${ADDRESSES}/10.0.0.15`),
      get("/api/v1/namespaces/$ns/endpoints/a"),
      create({ clusterIP: "10.0.0.15" }, "b"),
      del(SERVICES),
      get(`${ADDRESSES}/10.0.0.15`),
    ],
  },
  {
    name: "machinery/7.4.r10 Service: that of the API server, and what services begin with",
    steps: [
      { ...get("/api/v1/namespaces/default/services/kubernetes"), view: withoutTargetPort },
      get(`${ADDRESSES}/10.0.0.1`),
      get(`${CIDRS}/kubernetes`),
      get(`${CIDRS}/kubernetes`, asTable),
    ],
  },
  {
    name: "IPAddress: its rules",
    steps: [
      post(
        ADDRESSES,
        { metadata: { name: "192.0.2.1" }, spec: { parentRef: { resource: "services", name: "a" } } },
        captureVersion,
      ),
      post(ADDRESSES, { metadata: { name: "192.0.2.1" }, spec: { parentRef: { resource: "services", name: "a" } } }),
      post(ADDRESSES, { metadata: { name: "192.0.2.2" } }),
      post(ADDRESSES, { metadata: { name: "192.0.2.2" }, spec: { parentRef: {} } }),
      post(ADDRESSES, {
        metadata: { name: "192.0.2.2" },
        spec: { parentRef: { group: "A_", resource: "a/b", namespace: "..", name: "%" } },
      }),
      ...["192.0.2.02", "nothing", "::ffff:192.0.2.2", "FD00::1", "fd00:0::1"].map((name) =>
        post(ADDRESSES, { metadata: { name }, spec: { parentRef: { resource: "services", name: "a" } } }),
      ),
      patch(`${ADDRESSES}/192.0.2.1`, merge, { spec: { parentRef: { name: "b" } } }),
      patch(`${ADDRESSES}/192.0.2.1`, merge, { spec: { parentRef: null } }),
      patch(`${ADDRESSES}/192.0.2.1`, merge, { metadata: { labels: { a: "b" } } }),
      put(`${ADDRESSES}/192.0.2.1`, {
        metadata: { name: "192.0.2.1" },
        spec: { parentRef: { resource: "services", name: "a" } },
      }),
      get(`${ADDRESSES}/192.0.2.1`, asTable),
      del(`${ADDRESSES}/192.0.2.1`),
    ],
  },
  {
    name: "ServiceCIDR: its rules, and addresses from it",
    steps: [
      post(CIDRS, { metadata: { name: "$ns" }, spec: { cidrs: ["192.0.2.0/28"] }, status: { conditions: [] } }),
      post(CIDRS, { metadata: { name: "$ns-b" } }),
      ...[
        ["192.0.2.0"],
        ["192.0.2.1/24"],
        ["192.0.2.00/24"],
        ["FD00::/64"],
        ["192.0.2.0/24", "192.0.3.0/24"],
        ["192.0.2.0/24", "fd00::/64", "192.0.3.0/24"],
        ["nothing", "fd00::/64"],
      ].map((cidrs) => post(CIDRS, { metadata: { name: "$ns-b" }, spec: { cidrs } })),
      patch(`${CIDRS}/$ns`, merge, { spec: { cidrs: ["192.0.3.0/28"] } }),
      patch(`${CIDRS}/$ns`, merge, { spec: { cidrs: null } }),
      patch(`${CIDRS}/$ns`, merge, { spec: { cidrs: ["192.0.3.0/28", "fd00::1/64"] } }),
      patch(`${CIDRS}/$ns`, merge, { status: { conditions: null } }),
      patch(`${CIDRS}/$ns/status`, merge, {
        metadata: { labels: { a: "b" } },
        spec: { cidrs: ["192.0.3.0/28"] },
        status: {
          conditions: [
            { type: "X", status: "True", reason: "R", message: "m", lastTransitionTime: "2026-01-02T03:04:05Z" },
          ],
        },
      }),
      { ...create({ clusterIP: "192.0.2.3" }), awaits: 201 },
      get(`${ADDRESSES}/192.0.2.3`),
      get(`${CIDRS}/$ns`, asTable),
      del(ONE),
      del(`${CIDRS}/$ns`),
    ],
  },
];
