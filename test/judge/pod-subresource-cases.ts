// Subresources of pods: binding, eviction, debugging, resizing, streaming; and those of namespaces and nodes.

import type { JudgeCase, Step } from "./case.ts";

const NS = "/api/v1/namespaces/$ns";
const PODS = `${NS}/pods`;

const get = (target: string): Step => ({ method: "GET", target });
const post = (target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "POST",
  target,
  body,
  ...more,
});
const put = (target: string, body: unknown): Step => ({ method: "PUT", target, body });
const del = (target: string, body?: unknown): Step => ({
  method: "DELETE",
  target,
  ...(body === undefined ? {} : { body }),
});
const patch = (type: "merge" | "strategic-merge", target: string, body: unknown): Step => ({
  method: "PATCH",
  target,
  body,
  headers: { "content-type": `application/${type}-patch+json` },
});
const merge = (target: string, body: unknown): Step => patch("merge", target, body);
const strategic = (target: string, body: unknown): Step => patch("strategic-merge", target, body);

const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
const pod = (name: string, spec: object = {}, metadata: object = {}): Step =>
  post(
    PODS,
    {
      metadata: { name, ...metadata },
      spec: { automountServiceAccountToken: false, containers: [{ name: "a", image: "example/a:1" }], ...spec },
    },
    { capture: { uid: "metadata.uid", rv: "metadata.resourceVersion" } },
  );
const binding = (name: string, target: object, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  target,
});
const node = { kind: "Node", name: "n1" };

const bindingCases: readonly JudgeCase[] = [
  {
    name: "binding assigns a pod to a node, once",
    steps: [
      account,
      pod("a", {}, { labels: { own: "1" }, annotations: { own: "1" } }),
      post(`${PODS}/a/binding?dryRun=All`, binding("a", node)),
      get(`${PODS}/a`),
      post(`${PODS}/a/binding`, binding("a", node, { annotations: { own: "2", more: "3" }, labels: { x: "y" } })),
      get(`${PODS}/a`),
      post(`${PODS}/a/binding`, binding("a", { kind: "Node", name: "n2" })),
      post(`${PODS}/a/binding`, binding("b", node)),
      post(`${PODS}/none/binding`, binding("none", node)),
      get(`${PODS}/a/binding`),
    ],
  },
  {
    name: "binding refuses other targets, other pods, gated and deleted ones",
    steps: [
      account,
      pod("a"),
      post(`${PODS}/a/binding`, binding("a", {})),
      post(`${PODS}/a/binding`, binding("a", { kind: "Pod", name: "n" })),
      post(`${PODS}/a/binding`, binding("a", { kind: "Pod" })),
      post(`${PODS}/a/binding`, binding("a", node, { uid: "11111111-2222-3333-4444-555555555555" })),
      post(`${PODS}/a/binding`, binding("a", node, { resourceVersion: "1" })),
      post(`${PODS}/a/binding`, binding("a", node, { uid: "$uid", resourceVersion: "$rv" })),
      pod("gated", { schedulingGates: [{ name: "example.com/wait" }] }),
      post(`${PODS}/gated/binding`, binding("gated", node)),
      pod("going", {}, { finalizers: ["example.com/hold"] }),
      del(`${PODS}/going`),
      post(`${PODS}/going/binding`, binding("going", node)),
      merge(`${PODS}/going`, { metadata: { finalizers: null } }),
    ],
  },
  {
    name: "a binding may be posted to the collection",
    steps: [
      account,
      pod("a"),
      post(`${NS}/bindings`, binding("none", node)),
      post(`${NS}/bindings`, binding("a", node)),
      post(`${NS}/bindings`, binding("a", node)),
      get(`${PODS}/a`),
    ],
  },
];

const eviction = (name: string, deleteOptions?: object): object => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name },
  ...(deleteOptions && { deleteOptions }),
});

const times = { lastProbeTime: "2026-01-01T00:00:00Z", lastTransitionTime: "2026-01-01T00:00:00Z" };

const evictionCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.4.r6 eviction without a budget marks the pod and deletes it",
    steps: [
      account,
      pod("a", { nodeName: "n1" }, { finalizers: ["example.com/hold"] }),
      post(`${PODS}/a/eviction?dryRun=All`, eviction("a")),
      get(`${PODS}/a`),
      post(`${PODS}/a/eviction`, eviction("a", { dryRun: ["All"] })),
      post(`${PODS}/a/eviction`, eviction("a", { gracePeriodSeconds: 5 })),
      get(`${PODS}/a`),
      post(`${PODS}/a/eviction`, eviction("a", { gracePeriodSeconds: 0 })),
      merge(`${PODS}/a`, { metadata: { finalizers: null } }),
      get(`${PODS}/a`),
      post(`${PODS}/a/eviction`, eviction("a")),
    ],
  },
  {
    name: "machinery/7.4.r6 eviction keeps to its preconditions and its name",
    steps: [
      account,
      pod("a"),
      post(`${PODS}/a/eviction`, eviction("b")),
      get(`${PODS}/a`),
      pod("b"),
      post(`${PODS}/b/eviction`, eviction("b", { preconditions: { resourceVersion: "1" } })),
      post(`${PODS}/b/eviction`, eviction("b", { propagationPolicy: "Sideways" })),
      post(`${PODS}/b/eviction`, { metadata: { name: "b" } }),
      get(`${PODS}/b`),
    ],
  },
  {
    name: "machinery/7.4.r6 a budget refuses evictions, and is charged by those it allows",
    steps: [
      account,
      post("/apis/policy/v1/namespaces/$ns/poddisruptionbudgets", {
        metadata: { name: "b" },
        spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } },
      }),
      pod("a", { nodeName: "n1", terminationGracePeriodSeconds: 0 }, { labels: { app: "a" } }),
      merge(`${PODS}/a/status`, {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True", ...times }] },
      }),
      post(`${PODS}/a/eviction`, eviction("a")),
      merge("/apis/policy/v1/namespaces/$ns/poddisruptionbudgets/b/status", {
        status: {
          observedGeneration: 1,
          disruptionsAllowed: 0,
          currentHealthy: 1,
          desiredHealthy: 1,
          expectedPods: 1,
        },
      }),
      post(`${PODS}/a/eviction`, eviction("a")),
      merge("/apis/policy/v1/namespaces/$ns/poddisruptionbudgets/b/status", {
        status: { disruptionsAllowed: 1, currentHealthy: 2 },
      }),
      post(`${PODS}/a/eviction?dryRun=All`, eviction("a")),
      post(`${PODS}/a/eviction`, eviction("a")),
      get("/apis/policy/v1/namespaces/$ns/poddisruptionbudgets/b"),
      get(`${PODS}/a`),
    ],
  },
];

const BUDGETS = "/apis/policy/v1/namespaces/$ns/poddisruptionbudgets";
const running = (isReady: boolean): object => ({
  status: { phase: "Running", conditions: [{ type: "Ready", status: isReady ? "True" : "False", ...times }] },
});
const counts = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 };
const refused = { type: "DisruptionAllowed", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z" };

const budgetCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.4.r6 an eviction that keeps no precondition does not mark the pod",
    steps: [
      account,
      pod("a", { nodeName: "n1" }),
      merge(`${PODS}/a/status`, running(true)),
      post(`${PODS}/a/eviction`, eviction("a", { preconditions: { uid: "other" } })),
      post(`${PODS}/a/eviction`, eviction("a", { preconditions: { resourceVersion: "1" } })),
      post(`${PODS}/a/eviction`, eviction("a", { ignoreStoreReadErrorWithClusterBreakingPotential: true })),
      get(`${PODS}/a`),
    ],
  },
  {
    name: "machinery/7.4.r6 budgets of all pods protect those without labels, and several protect none",
    steps: [
      account,
      post(BUDGETS, { metadata: { name: "all" }, spec: { minAvailable: 1, selector: {} } }),
      pod("a", { nodeName: "n1", terminationGracePeriodSeconds: 0 }),
      merge(`${PODS}/a/status`, running(true)),
      post(`${PODS}/a/eviction`, eviction("a")),
      post(BUDGETS, { metadata: { name: "more" }, spec: { minAvailable: 1, selector: {} } }),
      post(`${PODS}/a/eviction`, eviction("a")),
    ],
  },
  {
    name: "machinery/7.4.r6 budgets say why they refuse, and let unhealthy pods go",
    steps: [
      account,
      post(BUDGETS, { metadata: { name: "b" }, spec: { minAvailable: 1, selector: {} } }),
      pod("a", { nodeName: "n1", terminationGracePeriodSeconds: 0 }),
      merge(`${PODS}/a/status`, running(false)),
      merge(`${BUDGETS}/b/status`, {
        status: {
          ...counts,
          desiredHealthy: 2,
          conditions: [{ ...refused, reason: "SyncFailed", message: "no scale", observedGeneration: 1 }],
        },
      }),
      post(`${PODS}/a/eviction`, eviction("a")),
      merge(`${BUDGETS}/b/status`, {
        status: { currentHealthy: 3, conditions: [{ ...refused, reason: "Other", message: "for a reason" }] },
      }),
      merge(`${PODS}/a/status`, running(true)),
      post(`${PODS}/a/eviction`, eviction("a")),
      merge(`${BUDGETS}/b/status`, { status: { conditions: null } }),
      post(`${PODS}/a/eviction`, eviction("a")),
      merge(`${PODS}/a/status`, running(false)),
      post(`${PODS}/a/eviction`, eviction("a")),
      get(`${BUDGETS}/b`),
      pod("c", { nodeName: "n1", terminationGracePeriodSeconds: 0 }),
      merge(`${PODS}/c/status`, running(false)),
      merge(`${BUDGETS}/b/status`, { status: { currentHealthy: 0 } }),
      post(`${PODS}/c/eviction`, eviction("c")),
      merge(`${BUDGETS}/b`, { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }),
      post(`${PODS}/c/eviction`, eviction("c")),
    ],
  },
];

const debug = { name: "debug", image: "example/debug:1" };

const containerCases: readonly JudgeCase[] = [
  {
    name: "ephemeral containers are added, never changed",
    steps: [
      account,
      pod("a"),
      get(`${PODS}/a/ephemeralcontainers`),
      strategic(`${PODS}/a/ephemeralcontainers`, { spec: { ephemeralContainers: [debug] } }),
      strategic(`${PODS}/a/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ ...debug, image: "example/other:1" }] },
      }),
      merge(`${PODS}/a/ephemeralcontainers`, { spec: { ephemeralContainers: null } }),
      strategic(`${PODS}/a/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ name: "a", image: "example/a:2" }] },
      }),
      strategic(`${PODS}/a/ephemeralcontainers`, {
        metadata: { labels: { ignored: "1" } },
        spec: { ephemeralContainers: [{ name: "second", image: "example/a:2", targetContainerName: "a" }] },
      }),
      strategic(PODS.concat("/a"), { spec: { ephemeralContainers: [{ name: "third", image: "example/a:2" }] } }),
      get(`${PODS}/a`),
    ],
  },
  {
    name: "resize changes what containers ask for, and nothing else",
    steps: [
      account,
      pod("a", {
        containers: [
          {
            name: "a",
            image: "example/a:1",
            resources: { requests: { cpu: "100m", memory: "10Mi" }, limits: { cpu: "200m", memory: "20Mi" } },
          },
        ],
      }),
      strategic(`${PODS}/a/resize`, {
        spec: { containers: [{ name: "a", resources: { requests: { cpu: "150m" } } }] },
      }),
      strategic(`${PODS}/a/resize`, {
        metadata: { labels: { ignored: "1" } },
        spec: { containers: [{ name: "a", image: "example/a:2", resources: { limits: { cpu: "300m" } } }] },
      }),
      strategic(`${PODS}/a/resize`, {
        spec: { containers: [{ name: "a", resources: { requests: { cpu: "400m" } } }] },
      }),
      strategic(`${PODS}/a/resize`, {
        spec: { containers: [{ name: "a", resources: { requests: { "example.com/x": "1" } } }] },
      }),
      strategic(`${PODS}/a`, { spec: { containers: [{ name: "a", resources: { requests: { cpu: "120m" } } }] } }),
      get(`${PODS}/a/resize`),
    ],
  },
  {
    name: "status and spec of a pod are written apart",
    steps: [
      account,
      pod("a", { nodeName: "n1" }),
      merge(`${PODS}/a/status`, {
        metadata: { labels: { kept: "1" } },
        spec: { activeDeadlineSeconds: 5 },
        status: { phase: "Running", podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
      }),
      merge(`${PODS}/a`, { status: { phase: "Failed" }, spec: { activeDeadlineSeconds: 5 } }),
      merge(`${PODS}/a/status`, { status: { qosClass: "Guaranteed" } }),
    ],
  },
];

/** Where upstream would call the kubelet, the embedded server answers itself. */
const connectCases: readonly JudgeCase[] = [
  {
    name: "log, exec, attach, portforward and proxy check what they can before they ask a kubelet",
    steps: [
      account,
      pod("two", {
        containers: [
          { name: "a", image: "example/a:1" },
          { name: "b", image: "example/a:1" },
        ],
      }),
      pod("lost", { nodeName: "$ns-none" }),
      post("/api/v1/nodes", { metadata: { name: "$ns-deaf" } }),
      pod("deaf", { nodeName: "$ns-deaf" }),
      ...[
        "two/log",
        "two/log?container=zz",
        "two/log?container=a",
        "two/log?container=a&tailLines=-1",
        "two/log?limitBytes=0&sinceSeconds=0",
        "two/log?sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
        "lost/log",
        "deaf/log",
        "none/log",
        "two/exec",
        "two/exec?container=a&command=ls&stdout=true",
        "lost/exec?command=ls&stdout=true",
        "deaf/exec?command=ls&stdout=true",
        "none/exec",
        "two/attach",
        "two/attach?container=b",
        "deaf/attach?stdout=true",
        "two/portforward",
        "deaf/portforward",
        "two/proxy",
        "deaf/proxy/a/b",
        "none/proxy/",
        "http:two:80/proxy/",
        "deaf/exec/more",
      ].map((target) => get(`${PODS}/${target}`)),
      post(`${PODS}/deaf/log`, ""),
      post(`${PODS}/deaf/exec?command=ls&stdout=1`, ""),
      put(`${PODS}/deaf/exec?command=ls&stdout=1`, ""),
      del(`${PODS}/deaf/log`),
      get("/api/v1/nodes/$ns-deaf/proxy/"),
      get("/api/v1/nodes/$ns-none/proxy/"),
      get(`${NS}/services/none/proxy/`),
    ],
  },
];

const otherKinds: readonly JudgeCase[] = [
  {
    name: "machinery/7.2.r2 a namespace goes when it is finalized",
    steps: [
      post("/api/v1/namespaces", { metadata: { name: "$ns-x" } }),
      put("/api/v1/namespaces/$ns-x/finalize", {
        metadata: { name: "$ns-x" },
        spec: { finalizers: ["kubernetes", "example.com/more"] },
      }),
      merge("/api/v1/namespaces/$ns-x/status", { status: { phase: "Terminating" } }),
      del("/api/v1/namespaces/$ns-x"),
      post("/api/v1/namespaces/$ns-x/configmaps", { metadata: { name: "late" } }),
      put("/api/v1/namespaces/$ns-x/finalize", { metadata: { name: "$ns-x" }, spec: {} }),
      get("/api/v1/namespaces/$ns-x"),
      get("/api/v1/namespaces/$ns/finalize"),
    ],
  },
  {
    name: "the status of a node is written apart",
    steps: [
      post("/api/v1/nodes", { metadata: { name: "$ns-n" }, status: { capacity: { cpu: "1" } } }),
      merge("/api/v1/nodes/$ns-n/status", {
        spec: { unschedulable: true },
        status: { capacity: { cpu: "4" }, conditions: [{ type: "Ready", status: "True" }] },
      }),
      merge("/api/v1/nodes/$ns-n", { spec: { unschedulable: true }, status: { capacity: { cpu: "8" } } }),
    ],
  },
];

export const podSubresourceCases: readonly JudgeCase[] = [
  ...bindingCases,
  ...evictionCases,
  ...budgetCases,
  ...containerCases,
  ...connectCases,
  ...otherKinds,
];
