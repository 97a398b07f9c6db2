// 64-bit integers and larger ones, in every field and encoding that a server reads. Bodies with an integer beyond int64
// are text, because our objects cannot hold it.

import { INT64_MAX, INT64_MIN } from "#api/int64.ts";
import { stringifyJson } from "#base/json.ts";
import type { JudgeCase, Step } from "./case.ts";
import { applyYaml, asTable, del, get, jsonPatch, merge, patch, post, put, strategic } from "./steps.ts";

type Json = Record<string, unknown>;

const PODS = "/api/v1/namespaces/$ns/pods";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/$ns/deployments";
const MAPS = "/api/v1/namespaces/$ns/configmaps";
const REVISIONS = "/apis/apps/v1/namespaces/$ns/controllerrevisions";

const protobuf = { headers: { "content-type": "application/vnd.kubernetes.protobuf" } };
const yaml = { headers: { "content-type": "application/yaml" } };
const asYaml = { accept: "application/yaml" };

const BEYOND = INT64_MAX + 1n;
const EDGES = [INT64_MAX, INT64_MIN, 2n ** 53n - 1n, 2n ** 53n, -(2n ** 53n), 2n ** 53n + 1n];

const toleration = (seconds: unknown): Json => ({
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: seconds,
});

const podSpec = (more: Json = {}): Json => ({ containers: [{ name: "a", image: "a" }], ...more });

const pod = (name: string, spec: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: podSpec(spec),
});

const deployment = (name: string, template: Json = {}): Json => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: podSpec(template) },
  },
});

/** Pods need the account. */
const account = post("/api/v1/namespaces/$ns/serviceaccounts", { metadata: { name: "default" } });

const text = (body: unknown): string => stringifyJson(body);
const specOnly = { view: (body: unknown) => (body as Json).spec };

export const int64Cases: readonly JudgeCase[] = [
  {
    name: "int64: a pod in JSON, protobuf and YAML, read in JSON and YAML",
    steps: [
      account,
      ...EDGES.map((seconds, i) => post(PODS, pod(`json-${i}`, { tolerations: [toleration(seconds)] }))),
      ...EDGES.map((seconds, i) => post(PODS, pod(`proto-${i}`, { tolerations: [toleration(seconds)] }), protobuf)),
      ...EDGES.map((seconds, i) => post(PODS, text(pod(`yaml-${i}`, { tolerations: [toleration(seconds)] })), yaml)),
      post(PODS, pod("grace", { terminationGracePeriodSeconds: INT64_MAX })),
      get(`${PODS}/grace`),
      get(`${PODS}/grace`, asYaml),
      get(PODS, asTable),
      get(`${PODS}?fieldSelector=metadata.name=proto-0`),
    ],
  },
  {
    name: "int64: integers beyond it in a typed body",
    steps: [
      account,
      ...[BEYOND, -BEYOND - 1n, 2n ** 64n, 10n ** 30n].flatMap((seconds) => [
        post(PODS, text(pod("a", { terminationGracePeriodSeconds: seconds }))),
        post(PODS, text(pod("a", { tolerations: [toleration(seconds)] }))),
        post(PODS, text(pod("a", { priority: seconds }))),
        post(PODS, text(pod("a", { tolerations: [toleration(seconds)] })), yaml),
      ]),
      post(PODS, pod("a", { priority: INT64_MAX })),
      post(PODS, pod("a", { priority: 2n ** 31n })),
      post(PODS, text(pod("b", { unknown: BEYOND, tolerations: [toleration(1)] })), {
        headers: { "content-type": "application/json" },
      }),
      post(`${PODS}?fieldValidation=Strict`, text(pod("c", { unknown: BEYOND }))),
    ],
  },
  {
    name: "int64: values that validation refuses and prints",
    steps: [
      account,
      post(PODS, pod("a", { activeDeadlineSeconds: INT64_MAX })),
      post(PODS, pod("a", { activeDeadlineSeconds: INT64_MIN })),
      post(PODS, pod("a", { terminationGracePeriodSeconds: INT64_MIN })),
      post(
        PODS,
        pod("a", { securityContext: { runAsUser: INT64_MAX, fsGroup: INT64_MIN, supplementalGroups: [2n ** 53n] } }),
      ),
      post(PODS, pod("a", { containers: [{ name: "a", image: "a", securityContext: { runAsGroup: INT64_MAX } }] })),
      post(PODS, pod("b", { tolerations: [{ operator: "Exists", tolerationSeconds: INT64_MAX }] })),
      post(PODS, pod("c", { tolerations: [toleration(INT64_MAX)] }), specOnly),
      patch(`${PODS}/c`, merge, { spec: { tolerations: [toleration(INT64_MAX - 1n)] } }),
      patch(`${PODS}/c`, merge, { spec: { terminationGracePeriodSeconds: INT64_MAX } }),
      post(
        PODS,
        pod("d", {
          terminationGracePeriodSeconds: INT64_MAX,
          containers: [{ name: "a", image: "a", lifecycle: { preStop: { sleep: { seconds: INT64_MAX } } } }],
        }),
        specOnly,
      ),
      post(
        PODS,
        pod("e", {
          terminationGracePeriodSeconds: INT64_MAX - 1n,
          containers: [{ name: "a", image: "a", lifecycle: { preStop: { sleep: { seconds: INT64_MAX } } } }],
        }),
      ),
      post("/api/v1/namespaces/$ns/serviceaccounts/default/token", {
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: INT64_MAX },
      }),
    ],
  },
  {
    name: "int64: quantities and int-or-strings as numbers",
    steps: [
      account,
      post(
        PODS,
        pod("a", { containers: [{ name: "a", image: "a", resources: { limits: { memory: INT64_MAX } } }] }),
        specOnly,
      ),
      post(
        PODS,
        pod("b", { containers: [{ name: "a", image: "a", resources: { limits: { memory: 2n ** 53n + 1n } } }] }),
        specOnly,
      ),
      post(
        PODS,
        text(pod("c", { containers: [{ name: "a", image: "a", resources: { limits: { memory: BEYOND } } }] })),
        specOnly,
      ),
      post(
        PODS,
        pod("d", {
          containers: [{ name: "a", image: "a", livenessProbe: { httpGet: { port: INT64_MAX } } }],
        }),
      ),
      post(DEPLOYMENTS, {
        ...deployment("a"),
        spec: { ...(deployment("a").spec as Json), strategy: { rollingUpdate: { maxSurge: 2n ** 53n } } },
      }),
    ],
  },
  {
    name: "int64: patches of a template",
    steps: [
      post(DEPLOYMENTS, deployment("a", { tolerations: [toleration(INT64_MAX)] })),
      put(`${DEPLOYMENTS}/a`, deployment("a", { tolerations: [toleration(INT64_MAX)] })),
      patch(`${DEPLOYMENTS}/a`, merge, { metadata: { labels: { a: "b" } } }),
      patch(`${DEPLOYMENTS}/a`, merge, { spec: { template: { spec: { terminationGracePeriodSeconds: INT64_MAX } } } }),
      patch(`${DEPLOYMENTS}/a`, strategic, {
        spec: { template: { spec: { terminationGracePeriodSeconds: INT64_MAX - 1n } } },
      }),
      patch(`${DEPLOYMENTS}/a`, strategic, {
        spec: { template: { spec: { securityContext: { supplementalGroups: [5, 7] } } } },
      }),
      patch(`${DEPLOYMENTS}/a`, strategic, {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": [{ name: "a" }],
              containers: [{ name: "a", env: [{ name: "A", value: "1" }] }],
            },
          },
        },
      }),
      patch(`${DEPLOYMENTS}/a`, jsonPatch, [
        { op: "test", path: "/spec/template/spec/terminationGracePeriodSeconds", value: INT64_MAX - 1n },
        { op: "copy", from: "/spec/template/spec/tolerations/0", path: "/spec/template/spec/tolerations/-" },
        { op: "replace", path: "/spec/template/spec/tolerations/0/tolerationSeconds", value: 2n ** 53n + 1n },
      ]),
      patch(`${DEPLOYMENTS}/a`, jsonPatch, [
        { op: "test", path: "/spec/template/spec/terminationGracePeriodSeconds", value: INT64_MAX },
      ]),
      patch(`${DEPLOYMENTS}/a/status`, merge, { status: { observedGeneration: INT64_MAX } }),
      get(`${DEPLOYMENTS}/a`),
    ],
  },
  {
    name: "int64: patches with integers beyond it",
    steps: [
      post(DEPLOYMENTS, deployment("a")),
      ...[BEYOND, -BEYOND - 1n, 10n ** 30n].flatMap((seconds): Step[] => {
        const change = text({ spec: { template: { spec: { terminationGracePeriodSeconds: seconds } } } });
        const replace = text([
          { op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: seconds },
        ]);
        return [
          patch(`${DEPLOYMENTS}/a`, merge, change),
          patch(`${DEPLOYMENTS}/a`, jsonPatch, replace),
          patch(`${DEPLOYMENTS}/a`, strategic, change),
          patch(`${DEPLOYMENTS}/a`, merge, text({ spec: { replicas: seconds } })),
          patch(`${DEPLOYMENTS}/a`, strategic, text({ spec: { replicas: seconds } })),
        ];
      }),
      patch(`${DEPLOYMENTS}/a`, strategic, { spec: { replicas: INT64_MAX } }),
      patch(`${DEPLOYMENTS}/a`, merge, { spec: { replicas: INT64_MAX } }),
      patch(`${DEPLOYMENTS}/a`, strategic, { spec: { template: { spec: { priority: 2n ** 32n + 1n } } } }),
      patch(`${DEPLOYMENTS}/a`, strategic, { spec: { template: { spec: { schedulerName: INT64_MAX } } } }),
      patch(`${DEPLOYMENTS}/a`, merge, { spec: { template: { spec: { schedulerName: INT64_MAX } } } }),
      patch(`${DEPLOYMENTS}/a`, merge, "9223372036854775807"),
      patch(`${DEPLOYMENTS}/a`, strategic, "9223372036854775807"),
      patch(`${DEPLOYMENTS}/a`, jsonPatch, "9223372036854775807"),
    ],
  },
  {
    name: "int64: server-side apply",
    steps: [
      patch(
        `${DEPLOYMENTS}/a?fieldManager=one`,
        applyYaml,
        deployment("a", { terminationGracePeriodSeconds: INT64_MAX, tolerations: [toleration(INT64_MIN)] }),
      ),
      patch(
        `${DEPLOYMENTS}/a?fieldManager=one`,
        applyYaml,
        deployment("a", { terminationGracePeriodSeconds: INT64_MAX, tolerations: [toleration(INT64_MIN)] }),
      ),
      patch(
        `${DEPLOYMENTS}/a?fieldManager=two`,
        applyYaml,
        deployment("a", { terminationGracePeriodSeconds: INT64_MAX - 1n }),
      ),
      patch(
        `${DEPLOYMENTS}/a?fieldManager=two`,
        applyYaml,
        deployment("a", { terminationGracePeriodSeconds: INT64_MAX }),
      ),
      patch(
        `${DEPLOYMENTS}/a?fieldManager=two&force=true`,
        applyYaml,
        deployment("a", { terminationGracePeriodSeconds: INT64_MAX - 1n }),
      ),
      patch(
        `${DEPLOYMENTS}/a?fieldManager=one`,
        applyYaml,
        text(deployment("a", { terminationGracePeriodSeconds: BEYOND })),
      ),
      patch(
        `${DEPLOYMENTS}/a?fieldManager=one`,
        applyYaml,
        deployment("a", { terminationGracePeriodSeconds: "9223372036854775807" }),
      ),
      patch(`${DEPLOYMENTS}/a?fieldManager=one`, applyYaml, deployment("a", { schedulerName: INT64_MAX })),
      patch(
        `${DEPLOYMENTS}/b?fieldManager=one`,
        applyYaml,
        [
          "apiVersion: apps/v1",
          "kind: Deployment",
          "metadata: {name: b}",
          "spec:",
          "  replicas: 0",
          "  selector: {matchLabels: {app: b}}",
          "  template:",
          "    metadata: {labels: {app: b}}",
          "    spec: {containers: [{name: a, image: a}], terminationGracePeriodSeconds: 0x7fffffffffffffff}",
        ].join("\n"),
      ),
    ],
  },
  {
    name: "int64: free-form JSON of a revision",
    steps: [
      post(REVISIONS, {
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: { name: "a" },
        revision: INT64_MAX,
        data: { a: INT64_MAX, b: [INT64_MIN] },
      }),
      post(
        REVISIONS,
        {
          apiVersion: "apps/v1",
          kind: "ControllerRevision",
          metadata: { name: "b" },
          revision: 2n ** 53n,
          data: { a: INT64_MAX },
        },
        protobuf,
      ),
      get(`${REVISIONS}/b`),
      get(REVISIONS, asTable),
    ],
  },
  {
    name: "int64: generations that a user sets",
    steps: [INT64_MAX, 2n ** 53n - 1n, INT64_MIN].flatMap((generation, i) => [
      post(MAPS, { metadata: { name: `a-${i}`, generation, finalizers: ["example.com/a"] } }),
      patch(`${MAPS}/a-${i}`, merge, { data: { a: "b" } }),
      patch(`${MAPS}/a-${i}`, merge, { metadata: { generation: 3 } }),
      put(`${MAPS}/a-${i}`, { metadata: { name: `a-${i}`, generation, finalizers: ["example.com/a"] } }),
      del(`${MAPS}/a-${i}`),
      get(`${MAPS}/a-${i}`),
      patch(`${MAPS}/a-${i}`, merge, { metadata: { finalizers: null } }),
    ]),
  },
  {
    name: "int64: field sets and annotations of a client",
    steps: [
      account,
      post(MAPS, {
        metadata: {
          name: "a",
          managedFields: [
            {
              manager: "m",
              operation: "Update",
              apiVersion: "v1",
              fieldsType: "FieldsV1",
              fieldsV1: { "f:data": INT64_MAX },
            },
          ],
        },
      }),
      post(
        PODS,
        {
          ...pod("a"),
          metadata: {
            name: "a",
            annotations: {
              "scheduler.alpha.kubernetes.io/tolerations": text([{ operator: "Exists", tolerationSeconds: INT64_MAX }]),
            },
          },
        },
        { view: (body: unknown) => (body as Json).message ?? null },
      ),
    ],
  },
  {
    name: "int64: grace periods of a delete",
    steps: [
      account,
      ...[INT64_MAX, INT64_MIN, 2n ** 53n - 1n, 9_223_372_037n].flatMap((seconds, i) => [
        post(PODS, pod(`a-${i}`, { nodeName: "nowhere" }), { view: () => undefined }),
        del(`${PODS}/a-${i}`, { gracePeriodSeconds: seconds }),
        get(`${PODS}/a-${i}`),
        del(`${PODS}/a-${i}`, { gracePeriodSeconds: 0 }),
      ]),
      post(PODS, pod("b", { nodeName: "nowhere", terminationGracePeriodSeconds: INT64_MAX }), {
        view: () => undefined,
      }),
      del(`${PODS}/b`),
      del(`${PODS}/b?gracePeriodSeconds=9223372036854775806`),
      del(`${PODS}/b?gracePeriodSeconds=9223372036854775808`),
      del(`${PODS}/b`, text({ gracePeriodSeconds: BEYOND })),
      del(`${PODS}/b`, { apiVersion: "v1", kind: "DeleteOptions", gracePeriodSeconds: INT64_MAX }, protobuf),
    ],
  },
];
