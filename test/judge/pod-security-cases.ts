// Pod security, as the real server judges it: labels of namespaces, pods, templates, subresources.

import type { JudgeCase, Step } from "./case.ts";
import { get, merge, patch, post, put, strategic } from "./steps.ts";

const NS = "/api/v1/namespaces/$ns";
const PODS = `${NS}/pods`;
const APPS = "/apis/apps/v1/namespaces/$ns";

const level = (mode: string): string => `pod-security.kubernetes.io/${mode}`;
const label = (labels: Readonly<Record<string, string | null>>): Step => {
  const full = Object.fromEntries(Object.entries(labels).map(([key, value]) => [level(key), value]));
  return patch(NS, merge, { metadata: { labels: full } });
};
const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { automountServiceAccountToken: false, containers: [{ name: "a", image: "example/a:1" }], ...spec },
});
const secure = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    {
      name: "a",
      image: "example/a:1",
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
  ],
};
/** Repeated until the lagging cache of the real server has the labels. */
const known = (target: string, body: object): Step => post(`${target}?dryRun=All`, body, { awaits: 403 });
const bad = { hostNetwork: true, hostPID: true, volumes: [{ name: "h", hostPath: { path: "/" } }] };
const template = (spec: object): object => ({
  metadata: { labels: { a: "b" } },
  spec: { containers: [{ name: "a", image: "example/a:1" }], ...spec },
});
const selector = { matchLabels: { a: "b" } };

export const podSecurityCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r10 PodSecurity: labels of a namespace must be known ones",
    steps: [
      label({ enforce: "strict" }),
      label({ "enforce-version": "1.24", audit: "none", warn: "", "warn-version": "v1.01" }),
      label({ enforce: "baseline", "enforce-version": "v1.24" }),
      post("/api/v1/namespaces?dryRun=All", { metadata: { name: "$ns-x", labels: { [level("warn")]: "loud" } } }),
      get(NS),
    ],
  },
  {
    name: "machinery/7.3.r10 PodSecurity: the baseline refuses pods",
    steps: [
      account,
      label({ enforce: "baseline" }),
      known(PODS, pod("bad", bad)),
      post(PODS, pod("plain")),
      post(PODS, pod("bad", bad)),
      post(PODS, pod("", bad, { name: undefined, generateName: "made-" })),
      post(
        PODS,
        pod("caps", {
          containers: [
            {
              name: "a",
              image: "example/a:1",
              securityContext: { capabilities: { add: ["NET_RAW"] }, privileged: true },
            },
            { name: "b", image: "example/a:1", ports: [{ containerPort: 80, hostPort: 80 }] },
          ],
          initContainers: [{ name: "i", image: "example/a:1", securityContext: { procMount: "Unmasked" } }],
          hostUsers: false,
          securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }], seLinuxOptions: { user: "u" } },
        }),
      ),
      patch(`${PODS}/plain`, strategic, { spec: { containers: [{ name: "a", image: "example/a:2" }] } }),
      patch(`${PODS}/plain/ephemeralcontainers`, strategic, {
        spec: {
          ephemeralContainers: [{ name: "debug", image: "example/d:1", securityContext: { privileged: true } }],
        },
      }),
    ],
  },
  {
    name: "machinery/7.3.r10 PodSecurity: the restricted level refuses more",
    steps: [
      account,
      label({ enforce: "restricted", "enforce-version": "v1.36" }),
      known(PODS, pod("plain")),
      post(PODS, pod("plain")),
      post(PODS, pod("secure", secure)),
      post(PODS, pod("root", { ...secure, securityContext: { runAsNonRoot: false, runAsUser: 0 } })),
      post(PODS, pod("nfs", { ...secure, volumes: [{ name: "v", nfs: { server: "s", path: "/" } }] })),
      patch(`${PODS}/secure`, strategic, { spec: { containers: [{ name: "a", image: "example/a:2" }] } }),
    ],
  },
  {
    name: "machinery/7.3.r10 PodSecurity: older versions forbid less",
    steps: [
      account,
      label({ enforce: "restricted", "enforce-version": "v1.0" }),
      known(PODS, pod("plain")),
      post(PODS, pod("nonroot", { securityContext: { runAsNonRoot: true } })),
    ],
  },
  {
    name: "machinery/7.3.r10 PodSecurity: templates are warned about and not refused",
    steps: [
      account,
      label({ enforce: "baseline", warn: "restricted", "warn-version": "v1.24" }),
      known(PODS, pod("bad", bad)),
      post(`${APPS}/deployments`, { metadata: { name: "d" }, spec: { selector, template: template(bad) } }),
      post(`${APPS}/replicasets`, { metadata: { name: "r" }, spec: { selector, template: template(secure) } }),
      post("/apis/batch/v1/namespaces/$ns/cronjobs", {
        metadata: { name: "c" },
        spec: {
          schedule: "* * * * *",
          jobTemplate: { spec: { template: template({ hostIPC: true, restartPolicy: "Never" }) } },
        },
      }),
      post(`${NS}/podtemplates`, { metadata: { name: "t" }, template: template(bad) }),
      post(PODS, pod("warned")),
    ],
  },
  {
    name: "machinery/7.3.r10 PodSecurity: a stricter namespace tells which of its pods break the new level",
    steps: [
      account,
      post(PODS, pod("b", { hostNetwork: true })),
      post(PODS, pod("a", { hostNetwork: true })),
      post(PODS, pod("c", { hostPID: true, hostNetwork: true, volumes: [{ name: "h", hostPath: { path: "/" } }] })),
      {
        ...patch(`${NS}?dryRun=All`, merge, { metadata: { labels: { [level("enforce")]: "baseline" } } }),
        awaitsValue: ["warnings.length", "3"],
      },
      label({ enforce: "baseline" }),
      label({ enforce: "privileged" }),
      label({ enforce: "restricted", "enforce-version": "v1.24" }),
      label({ enforce: "baseline" }),
      label({ "enforce-version": "v1.25" }),
      put(NS, { metadata: { name: "$ns", labels: { "kubernetes.io/metadata.name": "$ns" } } }),
    ],
  },
];
