// Writes of kubelets and of users with few rights, as the real server judges them with the plugins NodeRestriction and
// OwnerReferencesPermissionEnforcement.

import type { JudgeCase, Step } from "../case.ts";
import { captureVersion, del, get, merge, patch, post } from "../steps.ts";

const NS = "/api/v1/namespaces/$ns";
const PODS = `${NS}/pods`;
const NODES = "/api/v1/nodes";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces";

const as = (user: string, ...groups: string[]): Record<string, string> => ({
  "impersonate-user": user,
  ...(groups[0] && { "impersonate-group": groups[0] }),
});
const kubelet = as("system:node:judged", "system:nodes");
/** The step as the kubelet. */
const by = (step: Step, who = kubelet): Step => ({ ...step, headers: { ...step.headers, ...who } });

/** RBAC allows kubelets everything here: only admission is judged. */
const allowed: readonly Step[] = [
  post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: "$ns-nodes" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:nodes" }],
  }),
  { ...by(get(`${NS}/configmaps?labelSelector=none%3Dhere`)), awaits: 200 },
];
const forbiddenAgain = del(`${RBAC}/clusterrolebindings/$ns-nodes`);
const account = post(`${NS}/serviceaccounts`, { metadata: { name: "default" } });
const spec = { automountServiceAccountToken: false, containers: [{ name: "a", image: "example/a:1" }] };
const pod = (name: string, more: object = {}, metadata: object = {}): object => ({
  metadata: { name, ...metadata },
  spec: { ...spec, ...more },
});
const owner = { apiVersion: "v1", kind: "Node", name: "judged", uid: "$uid", controller: true };
const mirror = (name: string, more: object = {}, ...owners: object[]): object =>
  pod(
    name,
    { nodeName: "judged", ...more },
    {
      annotations: { "kubernetes.io/config.mirror": "x" },
      ownerReferences: owners,
    },
  );

/** managedFields name the owner by its UID. */
const withoutManagers = (step: Step): Step => ({
  ...step,
  view: ({ metadata: { managedFields: _, ...metadata }, ...body }: { metadata: { managedFields?: unknown } }) => ({
    ...body,
    metadata,
  }),
});

export const nodeWriteCases: readonly JudgeCase[] = [
  {
    name: "machinery/7.3.r16 NodeRestriction: a kubelet writes its own node alone",
    steps: [
      ...allowed,
      by(post(NODES, { metadata: { name: "other" } })),
      by(post(NODES, { metadata: { name: "judged", labels: { "kubernetes.io/os": "linux", "x.k8s.io/y": "z" } } })),
      by(post(NODES, { metadata: { name: "judged", labels: { "node-restriction.kubernetes.io/a": "b" } } })),
      by(post(NODES, { metadata: { name: "judged", labels: { "kubernetes.io/os": "linux", own: "yes" } } })),
      by(patch(`${NODES}/judged`, merge, { metadata: { labels: { "kubernetes.io/role": "x", free: "1" } } })),
      by(patch(`${NODES}/judged`, merge, { metadata: { labels: { "node.kubernetes.io/x": "1", free: "1" } } })),
      by(patch(`${NODES}/judged`, merge, { spec: { taints: [] } })),
      by(patch(`${NODES}/judged`, merge, { metadata: { ownerReferences: [{ ...owner, uid: "u" }] } })),
      by(patch(`${NODES}/judged/status`, merge, { status: { capacity: { cpu: "1" } } })),
      by(del(`${NODES}/judged`)),
      forbiddenAgain,
    ],
  },
  {
    name: "machinery/7.3.r16 NodeRestriction: a kubelet creates mirror pods and deletes its own pods",
    steps: [
      ...allowed,
      account,
      post(NODES, { metadata: { name: "judged" } }, captureVersion),
      by(post(PODS, pod("plain"))),
      by(post(PODS, pod("lost", {}, { annotations: { "kubernetes.io/config.mirror": "x" } }))),
      by(post(PODS, mirror("none"))),
      by(post(PODS, mirror("two", {}, owner, { ...owner, controller: false }))),
      by(post(PODS, mirror("foreign", {}, { ...owner, name: "other" }))),
      by(post(PODS, mirror("loose", {}, { ...owner, controller: false }))),
      by(post(PODS, mirror("blocking", {}, { ...owner, blockOwnerDeletion: true }))),
      // Waits until the real server's cache has the node.
      { ...by(post(PODS, mirror("old", {}, { ...owner, uid: "other" }))), awaits: 403 },
      by(post(PODS, mirror("account", { serviceAccountName: "default" }, owner))),
      by(post(PODS, mirror("secret", { volumes: [{ name: "v", secret: { secretName: "s" } }] }, owner))),
      by(post(PODS, mirror("csi", { volumes: [{ name: "v", csi: { driver: "d.example.com" } }] }, owner))),
      withoutManagers(by(post(PODS, mirror("good", {}, owner)))),
      by(patch(`${PODS}/good`, merge, { metadata: { labels: { a: "b" } } })),
      withoutManagers(by(patch(`${PODS}/good/status`, merge, { status: { phase: "Running" } }))),
      by(patch(`${PODS}/good/status`, merge, { metadata: { labels: { a: "b" } } })),
      post(PODS, pod("elsewhere", { nodeName: "other" })),
      by(patch(`${PODS}/elsewhere/status`, merge, { status: { phase: "Running" } })),
      { ...by(del(`${PODS}/elsewhere`)), awaits: 403 },
      by(post(`${PODS}/elsewhere/eviction`, { metadata: { name: "elsewhere" } })),
      by(post(`${PODS}/good/binding`, { metadata: { name: "good" }, target: { kind: "Node", name: "judged" } })),
      withoutManagers(by(del(`${PODS}/good`, { gracePeriodSeconds: 0 }))),
      del(`${NODES}/judged`),
      forbiddenAgain,
    ],
  },
  {
    name: "machinery/7.3.r16 NodeRestriction: leases, tokens, claims and slices of a kubelet",
    steps: [
      ...allowed,
      account,
      by(post(`${LEASES}/$ns/leases`, { metadata: { name: "judged" } })),
      by(post(`${LEASES}/kube-node-lease/leases`, { metadata: { name: "other" } })),
      by(post("/apis/storage.k8s.io/v1/csinodes", { metadata: { name: "other" }, spec: { drivers: [] } })),
      by(
        post("/apis/resource.k8s.io/v1/resourceslices", {
          metadata: { name: "$ns-slice" },
          spec: {
            driver: "d.example.com",
            nodeName: "other",
            pool: { name: "p", generation: 1, resourceSliceCount: 1 },
          },
        }),
      ),
      post(`${NS}/persistentvolumeclaims`, {
        metadata: { name: "c" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      }),
      by(patch(`${NS}/persistentvolumeclaims/c`, merge, { metadata: { labels: { a: "b" } } })),
      by(patch(`${NS}/persistentvolumeclaims/c/status`, merge, { status: { capacity: { storage: "1Gi" } } })),
      by(post(`${NS}/serviceaccounts/default/token`, { spec: {} })),
      by(
        post(`${NS}/serviceaccounts/default/token`, {
          spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p" } },
        }),
      ),
      post(PODS, pod("p", { nodeName: "other" }), captureVersion),
      {
        ...by(
          post(`${NS}/serviceaccounts/default/token`, {
            spec: { boundObjectRef: { apiVersion: "v1", kind: "Pod", name: "p", uid: "$uid" } },
          }),
        ),
        awaits: 403,
      },
      by(post(PODS, pod("x")), as("system:node:", "system:nodes")),
      forbiddenAgain,
    ],
  },
  {
    name: "machinery/7.3.r15 OwnerReferencesPermissionEnforcement: owners take rights",
    steps: [
      post(`${RBAC}/namespaces/$ns/roles`, {
        metadata: { name: "writer" },
        rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "create", "update", "patch"] }],
      }),
      post(`${RBAC}/namespaces/$ns/rolebindings`, {
        metadata: { name: "writer" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "writer" },
        subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "writer" }],
      }),
      post(`${NS}/configmaps`, { metadata: { name: "there" } }),
      { ...by(get(`${NS}/configmaps/there`), as("writer")), awaits: 200 },
      ...[
        { apiVersion: "v1", kind: "ConfigMap", name: "there", uid: "u1" },
        { apiVersion: "v1", kind: "ConfigMap", name: "there", uid: "u1", blockOwnerDeletion: true },
        { apiVersion: "example.com/v1", kind: "Nothing", name: "n", uid: "u2", blockOwnerDeletion: true },
      ].map((one, index) =>
        by(post(`${NS}/configmaps`, { metadata: { name: `c${index}`, ownerReferences: [one] } }), as("writer")),
      ),
      by(
        patch(`${NS}/configmaps/there`, merge, {
          metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "c0", uid: "u3" }] },
        }),
        as("writer"),
      ),
      by(patch(`${NS}/configmaps/c0`, merge, { metadata: { labels: { a: "b" } } }), as("writer")),
      post(`${NS}/configmaps`, {
        metadata: {
          name: "mine",
          ownerReferences: [
            { apiVersion: "example.com/v1", kind: "Nothing", name: "n", uid: "u2", blockOwnerDeletion: true },
          ],
        },
      }),
    ],
  },
];
