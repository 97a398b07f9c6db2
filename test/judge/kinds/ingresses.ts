// Ingresses, as the real server judges them.

import type { JudgeCase } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { post } from "../steps.ts";

const backend = { service: { name: "web", port: { number: 80 } } };
const rule = (path: object, host = "a.example.com"): object => ({ host, http: { paths: [{ ...path, backend }] } });
const rules = [rule({ path: "/", pathType: "Prefix" })];

const row: KindRow = {
  label: "Ingress",
  apiVersion: "networking.k8s.io/v1",
  kind: "Ingress",
  resource: "ingresses",
  minimal: { spec: { defaultBackend: backend } },
  full: {
    spec: {
      ingressClassName: "nginx",
      defaultBackend: { resource: { apiGroup: "example.com", kind: "Bucket", name: "b" } },
      rules: [
        ...rules,
        rule({ pathType: "ImplementationSpecific" }, "*.example.com"),
        { host: "c.example.com" },
        rule({ path: "/x", pathType: "Exact" }, ""),
      ],
      tls: [{ hosts: ["a.example.com", "*.example.com"], secretName: "tls" }],
    },
  },
  invalid: [
    { spec: {} },
    { spec: { rules: [rule({ path: "/" })] } },
    { spec: { rules: [rule({ path: "x", pathType: "Prefix" }), rule({ path: "/a//b/../c/..", pathType: "Exact" })] } },
    { spec: { rules: [rule({ path: "/", pathType: "Regex" }, "10.0.0.1")] } },
    { spec: { rules: [rule({ path: "x", pathType: "ImplementationSpecific" }, "*.*.com"), { http: {} }] } },
    { spec: { defaultBackend: {}, ingressClassName: "Bad_Name" } },
    { spec: { defaultBackend: { service: { name: "Web", port: { name: "http", number: 80 } } } } },
    { spec: { defaultBackend: { service: { name: "web", port: { number: 70000 } } } } },
    { spec: { defaultBackend: { ...backend, resource: { kind: "a/b", name: "" } } } },
    { spec: { rules, tls: [{ hosts: ["A"], secretName: "Bad" }] } },
    {
      metadata: { name: "a", annotations: { "kubernetes.io/ingress.class": "other" } },
      spec: { rules, ingressClassName: "nginx" },
    },
  ],
  updates: [
    { spec: { rules } },
    { spec: { defaultBackend: null, rules: null } },
    { spec: { ingressClassName: "one" } },
    { metadata: { annotations: { "kubernetes.io/ingress.class": "two" } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { loadBalancer: { ingress: [{ ip: "10.0.0.1", ports: [{ port: 80, protocol: "TCP" }] }] } },
    { loadBalancer: { ingress: [{ hostname: "10.0.0.1" }, { ip: "ten" }] } },
    { loadBalancer: { ingress: [{ hostname: "lb.example.com" }, { ip: "010.0.0.1" }] } },
    { loadBalancer: { ingress: null } },
  ],
  patches: {
    merge: { spec: { defaultBackend: { service: { port: { number: 81 } } } } },
    json: [{ op: "replace", path: "/spec/defaultBackend/service/name", value: "other" }],
    strategic: { spec: { rules } },
  },
  otherContent: { spec: { defaultBackend: { service: { name: "other", port: { number: 80 } } } } },
};

export const ingressCases: readonly JudgeCase[] = [
  ...casesOf(row),
  {
    name: "Ingress: the annotation of a class is answered with a warning",
    steps: [
      post("/apis/networking.k8s.io/v1/namespaces/$ns/ingresses", {
        apiVersion: "networking.k8s.io/v1",
        kind: "Ingress",
        metadata: { name: "old", annotations: { "kubernetes.io/ingress.class": "nginx" } },
        spec: { defaultBackend: backend },
      }),
    ],
  },
];
