// Pod groups, workloads and priority classes, as the real server judges them.

import type { JudgeCase } from "../case.ts";
import { casesOf, type KindRow } from "../kind-row.ts";
import { applyYaml, get, jsonPatch, merge, patch, post, put } from "../steps.ts";

const basic = { schedulingPolicy: { basic: {} } };
const gang = (minCount: number): object => ({ schedulingPolicy: { gang: { minCount } } });
const condition = {
  type: "PodGroupScheduled",
  status: "True",
  reason: "Scheduled",
  message: "",
  lastTransitionTime: "2026-01-02T03:04:05Z",
};

const podGroups: KindRow = {
  label: "PodGroup",
  apiVersion: "scheduling.k8s.io/v1alpha2",
  kind: "PodGroup",
  resource: "podgroups",
  minimal: { spec: basic },
  full: {
    spec: {
      ...gang(2),
      podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: "t" } },
      resourceClaims: [{ name: "gpu", resourceClaimName: "c" }],
      schedulingConstraints: { topology: [{ key: "example.com/rack" }] },
      disruptionMode: "PodGroup",
    },
  },
  invalid: [
    { spec: {} },
    { spec: { schedulingPolicy: {} } },
    { spec: { schedulingPolicy: { basic: {}, gang: { minCount: 2 } } } },
    { spec: gang(0) },
    { spec: { ...basic, podGroupTemplateRef: { workload: { workloadName: "", podGroupTemplateName: "Bad_Name" } } } },
    { spec: { ...basic, podGroupTemplateRef: {} } },
    { metadata: { name: "Bad Name" }, spec: basic },
  ],
  updates: [
    { spec: gang(3) },
    { spec: { podGroupTemplateRef: { workload: { workloadName: "w", podGroupTemplateName: "t" } } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  status: [
    { conditions: [condition] },
    { conditions: [{ ...condition, status: "Some", reason: "" }] },
    { conditions: [condition, condition] },
    { conditions: [{ ...condition, status: "False" }] },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { metadata: { name: "a", annotations: { other: "1" } }, spec: basic },
};

const GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/$ns/podgroups";
const group = (name: string): object => ({ metadata: { name }, spec: basic });
const viaStatus = patch(`${GROUPS}/a/status`, jsonPatch, [
  { op: "add", path: "/metadata/annotations", value: { via: "status" } },
]);

/** A field that a gate drops is not stored. Reading the object gives the default, and the next write stores it. */
export const podGroupCases: readonly JudgeCase[] = [
  ...casesOf(podGroups),
  {
    name: "PodGroup: the first write after the creation is a change",
    steps: [
      post(`${GROUPS}?dryRun=All`, group("a")),
      post(GROUPS, group("a")),
      viaStatus,
      viaStatus,
      patch(`${GROUPS}/a`, merge, {}),
      post(GROUPS, group("b")),
      patch(`${GROUPS}/b?dryRun=All`, merge, {}),
      get(`${GROUPS}/b`),
      patch(`${GROUPS}/b`, merge, {}),
      patch(`${GROUPS}/b`, merge, {}),
      put(`${GROUPS}/b`, group("b")),
      patch(`${GROUPS}/c?fieldManager=one`, applyYaml, {
        ...group("c"),
        apiVersion: podGroups.apiVersion,
        kind: "PodGroup",
      }),
      patch(`${GROUPS}/c?fieldManager=one`, applyYaml, {
        ...group("c"),
        apiVersion: podGroups.apiVersion,
        kind: "PodGroup",
      }),
      patch(`${GROUPS}/c?fieldManager=one`, applyYaml, {
        ...group("c"),
        apiVersion: podGroups.apiVersion,
        kind: "PodGroup",
      }),
    ],
  },
];

const template = { name: "t", ...basic };

export const workloads: KindRow = {
  label: "Workload",
  apiVersion: "scheduling.k8s.io/v1alpha2",
  kind: "Workload",
  resource: "workloads",
  minimal: { spec: { podGroupTemplates: [template] } },
  full: {
    spec: {
      controllerRef: { apiGroup: "batch", kind: "Job", name: "j" },
      podGroupTemplates: [template, { name: "u", ...gang(2) }],
    },
  },
  invalid: [
    { spec: {} },
    { spec: { podGroupTemplates: [template, template] } },
    { spec: { podGroupTemplates: [{ ...template, name: "Bad_Name" }] } },
    { spec: { podGroupTemplates: [{ name: "t" }] } },
    { spec: { podGroupTemplates: [{ name: "t", ...gang(0) }] } },
    { spec: { podGroupTemplates: Array.from({ length: 9 }, (_, i) => ({ ...template, name: `t${i}` })) } },
    { spec: { controllerRef: { apiGroup: "Bad_Name", kind: "", name: "a/b" }, podGroupTemplates: [template] } },
    { metadata: { name: "Bad Name" }, spec: { podGroupTemplates: [template] } },
  ],
  updates: [
    { spec: { podGroupTemplates: [{ name: "t", ...gang(2) }] } },
    { spec: { controllerRef: { apiGroup: "batch", kind: "Job", name: "j" } } },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { metadata: { annotations: { a: "b" } } },
    json: [{ op: "add", path: "/metadata/labels", value: { j: "1" } }],
    strategic: { metadata: { labels: { s: "1" } } },
  },
  otherContent: { metadata: { name: "a", annotations: { other: "1" } }, spec: { podGroupTemplates: [template] } },
};

export const priorityClasses: KindRow = {
  label: "PriorityClass",
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  isClusterScoped: true,
  minimal: { value: 10 },
  full: { value: -10, description: "low", preemptionPolicy: "Never", globalDefault: false },
  invalid: [
    { value: 1_000_000_001 },
    { value: "ten" },
    { value: 1, preemptionPolicy: "Sometimes" },
    { metadata: { name: "system-mine" }, value: 1 },
    { metadata: { name: "system-node-critical" }, value: 1 },
    { metadata: { name: "Bad Name" }, value: 1 },
  ],
  updates: [
    { value: 11 },
    { preemptionPolicy: "Never" },
    { description: "ten" },
    { metadata: { labels: { a: "b" }, generation: 9 } },
  ],
  patches: {
    merge: { description: "merge" },
    json: [{ op: "replace", path: "/description", value: "json" }],
    strategic: { description: "strategic" },
  },
  otherContent: { value: 10, description: "other" },
};
