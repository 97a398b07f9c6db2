// More admission of pods: service accounts, several quotas at once, scopes, and resizes under limits.

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
const patch = (type: string, target: string, body: unknown, more: Partial<Step> = {}): Step => ({
  method: "PATCH",
  target,
  body,
  headers: { "content-type": `application/${type}-patch+json` },
  ...more,
});

const account = (name: string, more: object = {}, metadata: object = {}): Step =>
  post(`${NS}/serviceaccounts`, { metadata: { name, ...metadata }, ...more });
const container = (resources?: object): object => ({
  name: "a",
  image: "example/a:1",
  ...(resources && { resources }),
});
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { containers: [container()], ...spec },
});
const bare = (name: string, spec: object = {}): object => pod(name, { automountServiceAccountToken: false, ...spec });

const TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";

const accountCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r2 ServiceAccount mounts the account's token where nothing else is mounted",
    steps: [
      account("default"),
      post(PODS, pod("plain")),
      post(PODS, pod("init", { initContainers: [{ name: "i", image: "example/a:1" }] })),
      post(
        PODS,
        pod("own", {
          containers: [
            { name: "a", image: "example/a:1", volumeMounts: [{ name: "v", mountPath: TOKEN_PATH }] },
            { name: "b", image: "example/a:1", volumeMounts: [{ name: "v", mountPath: "/v" }] },
          ],
          volumes: [{ name: "v", emptyDir: {} }],
        }),
      ),
      post(PODS, pod("off", { automountServiceAccountToken: false })),
      post(PODS, pod("old-name", { serviceAccount: "default" })),
      post(PODS, pod("unknown", { serviceAccountName: "nope" })),
      post(PODS, pod("generated", { serviceAccountName: "nope" }, { name: undefined, generateName: "g-" })),
    ],
  },
  {
    name: "machinery/7.3.r2 ServiceAccount lends its pull secrets and its wish not to be mounted",
    steps: [
      account("default", {
        imagePullSecrets: [{ name: "pull" }, { name: "more" }],
        automountServiceAccountToken: false,
      }),
      post(PODS, pod("lent")),
      post(PODS, pod("own", { imagePullSecrets: [{ name: "mine" }], automountServiceAccountToken: true })),
    ],
  },
  {
    name: "machinery/7.3.r2 ServiceAccount keeps mirror pods away from accounts and secrets",
    steps: [
      account("default"),
      ...[
        {},
        { serviceAccountName: "default" },
        { volumes: [{ name: "s", secret: { secretName: "x" } }] },
        { imagePullSecrets: [{ name: "x" }] },
        { volumes: [{ name: "p", projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }] },
      ].map((spec, index) =>
        post(
          PODS,
          pod(`mirror-${index}`, { nodeName: "n", ...spec }, { annotations: { "kubernetes.io/config.mirror": "x" } }),
        ),
      ),
    ],
  },
  {
    name: "machinery/7.3.r2 ServiceAccount enforces its list of secrets where it says so",
    steps: [
      account(
        "default",
        { secrets: [{ name: "listed" }], imagePullSecrets: [{ name: "pull" }] },
        { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
      ),
      ...[
        { volumes: [{ name: "s", secret: { secretName: "listed" } }] },
        { volumes: [{ name: "s", secret: { secretName: "other" } }] },
        { imagePullSecrets: [{ name: "other" }] },
        { imagePullSecrets: [{ name: "pull" }] },
        {
          containers: [
            {
              ...container(),
              env: [{ name: "E", valueFrom: { secretKeyRef: { name: "other", key: "k" } } }],
            },
          ],
        },
        { initContainers: [{ name: "i", image: "example/a:1", envFrom: [{ secretRef: { name: "other" } }] }] },
      ].map((spec, index) => post(PODS, bare(`pod-${index}`, spec))),
    ],
  },
];

const quota = (name: string, hard: object, used: object, more: object = {}): readonly Step[] => [
  post(`${NS}/resourcequotas`, { metadata: { name }, spec: { hard, ...more } }),
  patch("merge", `${NS}/resourcequotas/${name}/status`, { status: { hard, used } }),
];
/** A dry run that is repeated until the real server's caches have the quotas. */
const settled = (body: object, status: number): Step => post(`${PODS}?dryRun=All`, body, { awaits: status });
const asking = (cpu: string): object => ({ containers: [container({ requests: { cpu }, limits: { cpu: "2" } })] });

const quotaCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r4 ResourceQuota charges all quotas or none",
    steps: [
      account("default"),
      ...quota("cpu", { "requests.cpu": "1" }, { "requests.cpu": "0" }),
      ...quota("pods", { "count/pods": "1", pods: "5" }, { "count/pods": "0", pods: "0" }),
      settled(bare("try", asking("1500m")), 403),
      settled(bare("try"), 403),
      post(PODS, bare("a", asking("300m"))),
      settled(bare("try", asking("300m")), 403),
      post(PODS, bare("b", asking("300m"))),
      get(`${NS}/resourcequotas/cpu`),
      get(`${NS}/resourcequotas/pods`),
    ],
  },
  {
    name: "machinery/7.3.r4 ResourceQuota looks at the scopes of pods",
    steps: [
      account("default"),
      ...quota("best-effort", { pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] }),
      ...quota("terminating", { pods: "0" }, { pods: "0" }, { scopes: ["Terminating"] }),
      ...quota(
        "critical",
        { pods: "0" },
        { pods: "0" },
        {
          scopeSelector: {
            matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["system-cluster-critical"] }],
          },
        },
      ),
      settled(bare("try"), 403),
      settled(bare("try", { ...asking("1"), activeDeadlineSeconds: 5 }), 403),
      settled(bare("try", { ...asking("1"), priorityClassName: "system-cluster-critical" }), 403),
      post(PODS, bare("best-effort")),
      post(PODS, bare("terminating", { ...asking("1"), activeDeadlineSeconds: 5 })),
      post(PODS, bare("critical", { ...asking("1"), priorityClassName: "system-cluster-critical" })),
      post(PODS, bare("none", asking("1"))),
    ],
  },
  {
    name: "machinery/7.3.r4 ResourceQuota counts services and claims by what they ask for",
    steps: [
      ...quota(
        "q",
        { services: "2", "services.nodeports": "1", "requests.storage": "5Gi" },
        { services: "0", "services.nodeports": "0", "requests.storage": "0" },
      ),
      post(`${NS}/persistentvolumeclaims?dryRun=All`, claim("6Gi"), { awaits: 403 }),
      post(`${NS}/persistentvolumeclaims`, claim("6Gi")),
      post(`${NS}/persistentvolumeclaims`, claim("4Gi")),
      post(`${NS}/persistentvolumeclaims?dryRun=All`, claim("2Gi"), { awaits: 403 }),
      post(`${NS}/persistentvolumeclaims`, claim("2Gi")),
      get(`${NS}/resourcequotas/q`),
    ],
  },
];

function claim(storage: string): object {
  return {
    metadata: { name: `claim-${storage.toLowerCase()}` },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  };
}

const resize = (cpu: string, more: Partial<Step> = {}): Step =>
  patch(
    "strategic-merge",
    `${PODS}/a/resize`,
    { spec: { containers: [{ name: "a", resources: { requests: { cpu } } }] } },
    more,
  );

const resizeCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r3, machinery/7.3.r4 a resize keeps within limits and quotas",
    steps: [
      account("default"),
      post(`${NS}/limitranges`, {
        metadata: { name: "l" },
        spec: { limits: [{ type: "Container", min: { cpu: "100m" } }] },
      }),
      post(PODS, bare("a", asking("200m"))),
      resize("50m"),
      resize("300m"),
      ...quota("q", { "requests.cpu": "1" }, { "requests.cpu": "300m" }),
      settled(bare("try", asking("900m")), 403),
      resize("1500m"),
      resize("500m"),
      get(`${NS}/resourcequotas/q`),
      resize("200m"),
      get(`${NS}/resourcequotas/q`),
    ],
  },
];

export const podAdmissionCases: readonly JudgeCase[] = [...accountCases, ...quotaCases, ...resizeCases];
