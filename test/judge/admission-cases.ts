// The effects of admission on pods, nodes, claims and priority classes, and its refusals.

import type { JudgeCase, Step } from "./case.ts";

const NS = "/api/v1/namespaces/$ns";
const PODS = `${NS}/pods`;
const CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses";

const get = (target: string): Step => ({ method: "GET", target });
const post = (target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "POST",
  target,
  body,
  ...more,
});
const merge = (target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "PATCH",
  target,
  body,
  headers: { "content-type": "application/merge-patch+json" },
  ...more,
});

const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });

interface Container {
  readonly name: string;
  readonly image: string;
  readonly resources?: object;
  readonly restartPolicy?: string;
}
const container = (name: string, resources?: object): Container => ({
  name,
  image: "example/a:1",
  ...(resources && { resources }),
});
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { automountServiceAccountToken: false, containers: [container("a")], ...spec },
});
const amounts = (requests?: object, limits?: object): object => ({
  ...(requests && { requests }),
  ...(limits && { limits }),
});

const priorityClass = (name: string, value: number, more: object = {}): object => ({
  metadata: { name: `$ns-${name}` },
  value,
  ...more,
});

/** The admission of the real server reads caches: the dry run is repeated until they have caught up. */
const settled = (body: object, status: number): Step => post(`${PODS}?dryRun=All`, body, { awaits: status });

const tolerationCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r6 DefaultTolerationSeconds adds what a pod does not say itself",
    steps: [
      account,
      post(PODS, pod("none")),
      post(PODS, pod("own", { tolerations: [{ key: "node.kubernetes.io/not-ready", operator: "Exists" }] })),
      post(
        PODS,
        pod("other-effect", {
          tolerations: [{ key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoSchedule" }],
        }),
      ),
      post(PODS, pod("everything", { tolerations: [{ operator: "Exists" }] })),
      merge(`${PODS}/everything`, { spec: { tolerations: null } }),
      merge(`${PODS}/own`, { metadata: { labels: { a: "b" } } }),
    ],
  },
];

const nodeCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r7 TaintNodesByCondition taints new nodes once",
    steps: [
      post("/api/v1/nodes", { metadata: { name: "$ns-a" } }),
      post("/api/v1/nodes", {
        metadata: { name: "$ns-b" },
        spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule", value: "x" }] },
      }),
      post("/api/v1/nodes", {
        metadata: { name: "$ns-c" },
        spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }] },
      }),
      merge("/api/v1/nodes/$ns-a", { spec: { taints: null } }),
    ],
  },
];

const priorityCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r5 Priority gives a pod the priority of its class, and refuses another",
    steps: [
      account,
      post(CLASSES, priorityClass("high", 1000, { preemptionPolicy: "Never", description: "high" })),
      settled(pod("try", { priorityClassName: "$ns-high" }), 201),
      post(PODS, pod("classless")),
      post(PODS, pod("high", { priorityClassName: "$ns-high" })),
      post(PODS, pod("same", { priorityClassName: "$ns-high", priority: 1000 })),
      post(PODS, pod("mismatched", { priorityClassName: "$ns-high", priority: 7 })),
      post(PODS, pod("policy", { priorityClassName: "$ns-high", preemptionPolicy: "PreemptLowerPriority" })),
      post(PODS, pod("given", { priority: 5 })),
      post(PODS, pod("zero", { priority: 0 })),
      post(PODS, pod("unknown", { priorityClassName: "$ns-nope" })),
      post(PODS, pod("system", { priorityClassName: "system-node-critical" })),
      merge(`${PODS}/high`, { spec: { priority: null, preemptionPolicy: null }, metadata: { labels: { a: "b" } } }),
      merge(`${PODS}/high`, { spec: { priority: 7 } }),
      post(PODS, {
        metadata: { generateName: "g-" },
        spec: { containers: [container("a")], priorityClassName: "nope" },
      }),
    ],
  },
  {
    name: "machinery/7.5.r4 the two system classes are there from the start",
    steps: [
      get(`${CLASSES}/system-node-critical`),
      get(`${CLASSES}/system-cluster-critical`),
      { method: "DELETE", target: `${CLASSES}/system-node-critical` },
      post(CLASSES, { metadata: { name: "system-other" }, value: 1 }),
      post(CLASSES, { metadata: { name: "system-node-critical" }, value: 1 }),
      post(CLASSES, priorityClass("too-high", 1_000_000_001, { preemptionPolicy: "Sometimes" })),
      merge(`${CLASSES}/system-cluster-critical`, { value: 3, preemptionPolicy: "Never" }),
    ],
  },
];

/** A default class changes the pods of other cases, so this is played last. */
const defaultClassCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r5 Priority knows one default class",
    steps: [
      account,
      post(CLASSES, priorityClass("default", 50, { globalDefault: true })),
      post(`${CLASSES}?dryRun=All`, priorityClass("second", 60, { globalDefault: true }), { awaits: 403 }),
      post(CLASSES, priorityClass("second", 60, { globalDefault: true })),
      merge(`${CLASSES}/$ns-default`, { description: "still the default" }),
      post(CLASSES, priorityClass("plain", 70)),
      merge(`${CLASSES}/$ns-plain`, { globalDefault: true }),
      post(PODS, pod("by-default")),
      post(PODS, pod("mismatched", { priority: 0 })),
      { method: "DELETE", target: `${CLASSES}/$ns-default` },
    ],
  },
];

const range = (name: string, ...limits: object[]): Step =>
  post(`${NS}/limitranges`, { metadata: { name }, spec: { limits } });
const claim = (storage: string, more: Partial<Step> = {}): Step =>
  post(
    `${NS}/persistentvolumeclaims`,
    {
      metadata: { name: `claim-${storage.toLowerCase()}` },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    },
    more,
  );
const containers = (...list: object[]): object => ({ containers: list });

const limitCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r3 LimitRanger fills in what containers do not ask for",
    steps: [
      account,
      range("l", {
        type: "Container",
        default: { cpu: "200m", memory: "64Mi" },
        defaultRequest: { cpu: "100m", "example.com/thing": "1" },
      }),
      post(PODS, pod("plain")),
      post(PODS, pod("partly", containers(container("a", amounts({ cpu: "150m" })), container("b")))),
      post(PODS, pod("limits", containers(container("a", amounts(undefined, { cpu: "1", memory: "1Gi" }))))),
      post(PODS, pod("init", { initContainers: [container("i"), { ...container("s"), restartPolicy: "Always" }] })),
      post(PODS, pod("annotated", {}, { annotations: { "kubernetes.io/limit-ranger": "mine", other: "kept" } })),
      merge(`${PODS}/plain`, { metadata: { labels: { a: "b" } } }),
    ],
  },
  {
    name: "machinery/7.3.r3 LimitRanger refuses containers beyond min, max and ratio",
    steps: [
      account,
      range("l", {
        type: "Container",
        min: { cpu: "100m" },
        max: { memory: "1Gi" },
        maxLimitRequestRatio: { cpu: "2" },
        default: { memory: "512Mi" },
      }),
      post(PODS, pod("nothing")),
      post(PODS, pod("fits", containers(container("a", amounts({ cpu: "100m" }, { cpu: "200m" }))))),
      post(PODS, pod("little", containers(container("a", amounts({ cpu: "50m" }, { cpu: "100m" }))))),
      post(PODS, pod("both-little", containers(container("a", amounts({ cpu: "50m" }, { cpu: "60m" }))))),
      post(
        PODS,
        pod(
          "much",
          containers(container("a", amounts({ cpu: "100m", memory: "2Gi" }, { cpu: "150m", memory: "2Gi" }))),
        ),
      ),
      post(PODS, pod("ratio", containers(container("a", amounts({ cpu: "100m" }, { cpu: "333m" }))))),
      post(PODS, pod("zero", containers(container("a", amounts({ cpu: "0" }, { cpu: "1" }))))),
      post(PODS, {
        metadata: { name: "init" },
        spec: {
          containers: [container("a", amounts({ cpu: "100m" }, { cpu: "100m" }))],
          initContainers: [container("i", amounts({ cpu: "10m" }, { cpu: "10m" }))],
        },
      }),
      post(PODS, { metadata: { generateName: "named-" }, spec: containers(container("a")) }),
    ],
  },
  {
    name: "machinery/7.3.r3 LimitRanger counts pods as a whole: sidecars, init containers, pod-level resources",
    steps: [
      account,
      range("l", {
        type: "Pod",
        min: { cpu: "200m" },
        max: { cpu: "1", memory: "1Gi" },
        maxLimitRequestRatio: { memory: "1500m" },
      }),
      post(
        PODS,
        pod("sum", {
          containers: [
            container("a", amounts({ cpu: "500m", memory: "100Mi" }, { cpu: "600m", memory: "100Mi" })),
            container("b", amounts({ cpu: "500m", memory: "100Mi" }, { cpu: "600m", memory: "100Mi" })),
          ],
        }),
      ),
      post(
        PODS,
        pod("peak", {
          containers: [container("a", amounts({ cpu: "200m", memory: "10Mi" }, { cpu: "200m", memory: "10Mi" }))],
          initContainers: [
            {
              ...container("s", amounts({ cpu: "100m", memory: "10Mi" }, { cpu: "100m", memory: "10Mi" })),
              restartPolicy: "Always",
            },
            container("i", amounts({ cpu: "950m", memory: "10Mi" }, { cpu: "950m", memory: "10Mi" })),
          ],
        }),
      ),
      post(
        PODS,
        pod(
          "ratio",
          containers(container("a", amounts({ cpu: "300m", memory: "100Mi" }, { cpu: "300m", memory: "200Mi" }))),
        ),
      ),
      post(
        PODS,
        pod("pod-level", {
          resources: amounts({ cpu: "300m", memory: "200Mi" }, { cpu: "2", memory: "200Mi" }),
          containers: [container("a")],
        }),
      ),
      post(
        PODS,
        pod(
          "fits",
          containers(container("a", amounts({ cpu: "300m", memory: "100Mi" }, { cpu: "1", memory: "150Mi" }))),
        ),
      ),
    ],
  },
  {
    name: "machinery/7.3.r3 LimitRanger limits the size of claims",
    steps: [
      range("l", { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } }),
      claim("1Gi"),
      claim("5Gi"),
      claim("6Gi"),
      claim("500Mi"),
    ],
  },
];

const quotaStep = (hard: object, used: object, more: object = {}): readonly Step[] => [
  post(`${NS}/resourcequotas`, { metadata: { name: "q" }, spec: { hard, ...more } }),
  merge(`${NS}/resourcequotas/q/status`, { status: { hard, used } }),
];
const quota = get(`${NS}/resourcequotas/q`);
const configMap = (name: string): object => ({ metadata: { name } });

const quotaCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r4 ResourceQuota counts objects, refuses what is too much, and keeps what a dry run would use",
    steps: [
      ...quotaStep(
        { configmaps: "2", "count/leases.coordination.k8s.io": "0" },
        {
          configmaps: "1",
          "count/leases.coordination.k8s.io": "0",
        },
      ),
      post("/apis/coordination.k8s.io/v1/namespaces/$ns/leases?dryRun=All", configMap("try"), { awaits: 403 }),
      post(`${NS}/configmaps?dryRun=All`, configMap("a")),
      quota,
      post(`${NS}/configmaps`, configMap("a")),
      quota,
      post(`${NS}/configmaps?dryRun=All`, configMap("b"), { awaits: 403 }),
      post(`${NS}/configmaps`, configMap("b")),
      post("/apis/coordination.k8s.io/v1/namespaces/$ns/leases", configMap("l")),
      merge(`${NS}/configmaps/a`, { data: { a: "b" } }),
      post(`${NS}/secrets`, configMap("free")),
      quota,
    ],
  },
  {
    name: "machinery/7.3.r4 ResourceQuota measures pods, and asks for what it must measure",
    steps: [
      account,
      ...quotaStep(
        { pods: "2", "requests.cpu": "1", "limits.memory": "1Gi" },
        { pods: "0", "requests.cpu": "0", "limits.memory": "0" },
      ),
      settled(pod("try"), 403),
      post(PODS, pod("unsaid")),
      post(PODS, pod("half", containers(container("a", amounts({ cpu: "100m" }))))),
      post(PODS, pod("fits", containers(container("a", amounts({ cpu: "600m" }, { memory: "100Mi" }))))),
      quota,
      settled(pod("try", containers(container("a", amounts({ cpu: "600m" }, { memory: "2Gi" })))), 403),
      post(PODS, pod("much", containers(container("a", amounts({ cpu: "600m" }, { memory: "2Gi" }))))),
      post(PODS, pod("fits", containers(container("a", amounts({ cpu: "100m" }, { memory: "1Mi" }))))),
      quota,
    ],
  },
  {
    name: "machinery/7.3.r4 ResourceQuota refuses while it does not know the usage, and ignores what it is not about",
    steps: [
      account,
      post(`${NS}/resourcequotas`, {
        metadata: { name: "q" },
        spec: { hard: { pods: "1" }, scopes: ["BestEffort"] },
      }),
      post(PODS, pod("before")),
      merge(`${NS}/resourcequotas/q/status`, { status: { hard: { pods: "1" } } }),
      settled(pod("try"), 403),
      post(PODS, pod("unknown")),
      post(PODS, pod("guaranteed", containers(container("a", amounts({ cpu: "1" }, { cpu: "1" }))))),
      quota,
    ],
  },
];

export const admissionCases: readonly JudgeCase[] = [
  ...tolerationCases,
  ...nodeCases,
  ...priorityCases,
  ...limitCases,
  ...quotaCases,
  ...defaultClassCases,
];
