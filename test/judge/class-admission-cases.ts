// Classes and topology at admission, as the real server judges them.

import type { JudgeCase, Step } from "./case.ts";
import { del, get, merge, patch, post } from "./steps.ts";

const NS = "/api/v1/namespaces/$ns";
const PODS = `${NS}/pods`;
const RUNTIMES = "/apis/node.k8s.io/v1/runtimeclasses";
const INGRESSES = "/apis/networking.k8s.io/v1/namespaces/$ns/ingresses";
const CLASSES = "/apis/networking.k8s.io/v1/ingressclasses";

const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
const pod = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { automountServiceAccountToken: false, containers: [{ name: "a", image: "example/a:1" }], ...spec },
});
const runtimeClassName = "$ns-kata";
const overhead = { cpu: "250m", memory: "120Mi" };
const runtime = (content: object): Step =>
  post(RUNTIMES, { metadata: { name: runtimeClassName }, handler: "kata", ...content });
const clean = del(`${RUNTIMES}/${runtimeClassName}`);

const ingress = (name: string, more: object = {}, annotations?: object): object => ({
  metadata: { name, ...(annotations && { annotations }) },
  spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } }, ...more },
});
const ingressClass = (name: string, isDefault: string): Step =>
  post(CLASSES, {
    metadata: { name, annotations: { "ingressclass.kubernetes.io/is-default-class": isDefault } },
    spec: { controller: "example.com/c" },
  });

const CLAIMS = `${NS}/persistentvolumeclaims`;
const STORAGE = "/apis/storage.k8s.io/v1/storageclasses";
const IS_DEFAULT = "storageclass.kubernetes.io/is-default-class";
const claim = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
});
const storageClass = (name: string, content: object, annotations?: object): Step =>
  post(STORAGE, { metadata: { name, ...(annotations && { annotations }) }, provisioner: "example.com/p", ...content });
const grown = { spec: { resources: { requests: { storage: "2Gi" } } } };

export const classAdmissionCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r14 RuntimeClass: pods get the overhead of their class",
    steps: [
      account,
      runtime({ overhead: { podFixed: overhead } }),
      post(PODS, pod("plain")),
      post(PODS, pod("kata", { runtimeClassName })),
      post(PODS, pod("same", { runtimeClassName, overhead: { cpu: "0.25", memory: "120Mi" } })),
      post(PODS, pod("other", { runtimeClassName, overhead: { cpu: "1" } })),
      post(PODS, pod("unknown", { runtimeClassName: "nope" })),
      post(PODS, pod("bare", { overhead })),
      clean,
    ],
  },
  {
    name: "machinery/7.3.r14 RuntimeClass: pods go where their runtime is",
    steps: [
      account,
      runtime({
        scheduling: {
          nodeSelector: { runtime: "kata" },
          tolerations: [
            { key: "kata", operator: "Exists", effect: "NoSchedule" },
            { key: "x", operator: "Equal", value: "y", effect: "NoExecute", tolerationSeconds: 60 },
          ],
        },
      }),
      post(PODS, pod("plain", { runtimeClassName })),
      post(PODS, pod("more", { runtimeClassName, nodeSelector: { a: "b" } })),
      post(PODS, pod("conflict", { runtimeClassName, nodeSelector: { runtime: "runc" } })),
      post(
        PODS,
        pod("tolerant", {
          runtimeClassName,
          tolerations: [
            { key: "kata", operator: "Equal", value: "v", effect: "NoSchedule" },
            { key: "x", operator: "Equal", value: "y", effect: "NoExecute", tolerationSeconds: 30 },
            { key: "kata", value: "v" },
          ],
        }),
      ),
      post(PODS, pod("all", { runtimeClassName, tolerations: [{ operator: "Exists" }] })),
      clean,
    ],
  },
  {
    name: "machinery/7.3.r14 DefaultIngressClass: ingresses get the default class",
    steps: [
      post(INGRESSES, ingress("none")),
      ingressClass("$ns-no", "false"),
      ingressClass("$ns-yes", "true"),
      // The real server reads classes from a cache that lags.
      {
        ...post(`${INGRESSES}?dryRun=All`, ingress("asked")),
        awaitsBody: ({ spec }: { spec: { ingressClassName?: string } }) => spec.ingressClassName !== undefined,
      },
      post(INGRESSES, ingress("default")),
      post(INGRESSES, ingress("named", { ingressClassName: "own" })),
      post(INGRESSES, ingress("annotated", {}, { "kubernetes.io/ingress.class": "old" })),
      patch(`${INGRESSES}/none`, merge, { metadata: { labels: { a: "b" } } }),
      get(`${INGRESSES}/none`),
      del(`${CLASSES}/$ns-no`),
      del(`${CLASSES}/$ns-yes`),
    ],
  },
  {
    name: "machinery/7.3.r9 DefaultStorageClass and PersistentVolumeClaimResize: claims and their classes",
    steps: [
      post(CLAIMS, claim("none")),
      storageClass("$ns-fixed", {}),
      storageClass("$ns-default", { allowVolumeExpansion: true }, { [IS_DEFAULT]: "true" }),
      {
        ...post(`${CLAIMS}?dryRun=All`, claim("asked")),
        awaitsBody: ({ spec }: { spec: { storageClassName?: string } }) => spec.storageClassName !== undefined,
      },
      post(CLAIMS, claim("default")),
      post(CLAIMS, claim("empty", { storageClassName: "" })),
      post(CLAIMS, claim("fixed", { storageClassName: "$ns-fixed" })),
      patch(`${CLAIMS}/default`, merge, grown),
      ...["default", "fixed"].flatMap((name) => [
        patch(`${CLAIMS}/${name}/status`, merge, { status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
        patch(`${CLAIMS}/${name}`, merge, { spec: { volumeName: "v" } }),
        patch(`${CLAIMS}/${name}`, merge, grown),
      ]),
      del(`${STORAGE}/$ns-fixed`),
      del(`${STORAGE}/$ns-default`),
    ],
  },
  {
    name: "machinery/7.3.r14 PodTopologyLabels: pods carry the zone of their node",
    steps: [
      account,
      post("/api/v1/nodes", {
        metadata: {
          name: "$ns-node",
          labels: { "topology.kubernetes.io/zone": "z", "topology.kubernetes.io/region": "r" },
        },
      }),
      post(PODS, pod("bound")),
      {
        ...post(`${PODS}?dryRun=All`, pod("asked", { nodeName: "$ns-node" })),
        awaitsBody: ({ metadata }: { metadata: { labels?: object } }) => metadata.labels !== undefined,
      },
      post(`${PODS}/bound/binding`, { metadata: { name: "bound" }, target: { kind: "Node", name: "$ns-node" } }),
      get(`${PODS}/bound`),
      post(PODS, pod("placed", { nodeName: "$ns-node" })),
      post(PODS, pod("lost", { nodeName: "$ns-nowhere" })),
      del("/api/v1/nodes/$ns-node"),
    ],
  },
];
