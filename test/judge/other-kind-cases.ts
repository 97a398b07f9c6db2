// Kinds without special rules here: the results for an ordinary object and for empty lists. Jobs are missing, because
// upstream generates their selector. Kinds that a controller inside the real server writes are missing too.

import type { JudgeCase } from "./case.ts";
import { asTable, del, get, merge, patch, post, strategic } from "./steps.ts";

const CORE = "/api/v1/namespaces/$ns";
const inNamespace = (groupVersion: string, resource: string): string =>
  `/apis/${groupVersion}/namespaces/$ns/${resource}`;
const ofCluster = (groupVersion: string, resource: string): string => `/apis/${groupVersion}/${resource}`;
const NETWORKING = "networking.k8s.io/v1";
const RBAC = "rbac.authorization.k8s.io/v1";
const STORAGE = "storage.k8s.io/v1";
const ADMISSION = "admissionregistration.k8s.io/v1";
const SLICES = inNamespace("discovery.k8s.io/v1", "endpointslices");

const selector = { matchLabels: { app: "a" } };
const container = { name: "c", image: "x", ports: [{ containerPort: 80 }], livenessProbe: { httpGet: { port: 80 } } };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [container] } };
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const rule = { apiGroups: ["none.example"], apiVersions: ["v1"], resources: ["x"], operations: ["CREATE"] };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "d" };
const webhook = {
  name: "a.b.c",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  clientConfig: { service: { namespace: "n", name: "s" } },
  rules: [rule],
};
const backend = { service: { name: "s", port: { number: 80 } } };
const viewer = { kind: "ClusterRole", name: "view", apiGroup: "rbac.authorization.k8s.io" };

const ordinary: readonly (readonly [label: string, collection: string, content: object])[] = [
  ["Deployment", inNamespace("apps/v1", "deployments"), { spec: { selector, template } }],
  [
    "StatefulSet",
    inNamespace("apps/v1", "statefulsets"),
    {
      spec: { selector, serviceName: "s", template, volumeClaimTemplates: [{ metadata: { name: "d" }, spec: claim }] },
    },
  ],
  ["ControllerRevision", inNamespace("apps/v1", "controllerrevisions"), { revision: 1, data: { a: 1 } }],
  [
    "CronJob",
    inNamespace("batch/v1", "cronjobs"),
    {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
  ],
  ["PersistentVolumeClaim", `${CORE}/persistentvolumeclaims`, { spec: claim }],
  [
    "PersistentVolume",
    "/api/v1/persistentvolumes",
    { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/x" } } },
  ],
  ["PodTemplate", `${CORE}/podtemplates`, { template }],
  ["Endpoints", `${CORE}/endpoints`, { subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ port: 80 }] }] }],
  ["EndpointSlice", SLICES, { addressType: "IPv4", endpoints: [{ addresses: ["10.1.1.1"] }], ports: [{ port: 80 }] }],
  [
    "Ingress",
    inNamespace(NETWORKING, "ingresses"),
    { spec: { rules: [{ host: "a.b", http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }] } },
  ],
  ["IngressClass", ofCluster(NETWORKING, "ingressclasses"), { spec: { controller: "example.com/c" } }],
  [
    "NetworkPolicy",
    inNamespace(NETWORKING, "networkpolicies"),
    { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] } },
  ],
  [
    "HorizontalPodAutoscaler",
    inNamespace("autoscaling/v2", "horizontalpodautoscalers"),
    { spec: { scaleTargetRef: target, maxReplicas: 3 } },
  ],
  [
    "HorizontalPodAutoscaler v1",
    inNamespace("autoscaling/v1", "horizontalpodautoscalers"),
    { spec: { scaleTargetRef: target, maxReplicas: 3, targetCPUUtilizationPercentage: 50 } },
  ],
  ["PodDisruptionBudget", inNamespace("policy/v1", "poddisruptionbudgets"), { spec: { selector, minAvailable: 1 } }],
  ["Role", inNamespace(RBAC, "roles"), { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }],
  [
    "RoleBinding",
    inNamespace(RBAC, "rolebindings"),
    {
      roleRef: viewer,
      subjects: [
        { kind: "ServiceAccount", name: "s" },
        { kind: "User", name: "u" },
      ],
    },
  ],
  ["ClusterRole", ofCluster(RBAC, "clusterroles"), { rules: [{ nonResourceURLs: ["/x"], verbs: ["get"] }] }],
  ["ClusterRoleBinding", ofCluster(RBAC, "clusterrolebindings"), { roleRef: viewer }],
  ["StorageClass", ofCluster(STORAGE, "storageclasses"), { provisioner: "example.com/p" }],
  ["CSIDriver", ofCluster(STORAGE, "csidrivers"), { spec: {} }],
  [
    "VolumeAttachment",
    ofCluster(STORAGE, "volumeattachments"),
    { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } } },
  ],
  ["PriorityClass", ofCluster("scheduling.k8s.io/v1", "priorityclasses"), { value: 5 }],
  ["RuntimeClass", ofCluster("node.k8s.io/v1", "runtimeclasses"), { handler: "h" }],
  ["ValidatingWebhookConfiguration", ofCluster(ADMISSION, "validatingwebhookconfigurations"), { webhooks: [webhook] }],
  [
    "ValidatingAdmissionPolicyBinding",
    ofCluster(ADMISSION, "validatingadmissionpolicybindings"),
    { spec: { policyName: "p", validationActions: ["Deny"] } },
  ],
  [
    "ResourceClaim",
    inNamespace("resource.k8s.io/v1", "resourceclaims"),
    { spec: { devices: { requests: [{ name: "r", exactly: { deviceClassName: "c.example" } }] } } },
  ],
  [
    "DeviceClass",
    ofCluster("resource.k8s.io/v1", "deviceclasses"),
    { spec: { selectors: [{ cel: { expression: "true" } }] } },
  ],
];

const DEPLOYMENT = inNamespace("apps/v1", "deployments");
const LIMITS = `${CORE}/limitranges`;
const named = (name: string, content: object): object => ({ metadata: { name }, ...content });

export const otherKindCases: readonly JudgeCase[] = [
  ...ordinary.map(([label, collection, content]): JudgeCase => {
    const name = collection.includes("$ns") ? "a" : "$ns-a";
    const one = `${collection}/${name}`;
    return {
      name: `${label}: an ordinary object`,
      steps: [
        post(collection, named(name, content)),
        get(one, asTable),
        patch(one, merge, { metadata: { labels: { a: "b" } } }),
        patch(`${one}/status`, merge, { status: {} }),
        get(`${one}/status`),
        del(one),
      ],
    };
  }),
  {
    name: "empty lists that clients always see are null once they are stored",
    steps: [
      post(LIMITS, named("a", { spec: { limits: [] } })),
      patch(`${LIMITS}/a`, merge, { spec: { limits: null } }),
      patch(`${LIMITS}/a`, merge, { spec: { limits: [] } }),
      patch(`${LIMITS}/a?dryRun=All`, merge, { spec: { limits: [] }, metadata: { labels: { a: "b" } } }),
      post(`${LIMITS}?dryRun=All`, named("b", { spec: { limits: [] } })),
      get(`${LIMITS}/a`),
      post(ofCluster(RBAC, "clusterroles"), named("$ns-a", { rules: [] })),
      post(ofCluster(STORAGE, "csinodes"), named("$ns-a", { spec: { drivers: [] } })),
      post(
        ofCluster(STORAGE, "csinodes"),
        named("$ns-b", { spec: { drivers: [{ name: "d", nodeID: "x", topologyKeys: [] }] } }),
      ),
      post(SLICES, named("a", { addressType: "IPv4", endpoints: [], ports: [] })),
      post(
        SLICES,
        named("b", { addressType: "IPv4", endpoints: [{ addresses: ["10.1.1.1"], hints: { forZones: [] } }] }),
      ),
    ],
  },
  {
    name: "Deployment: what it keeps of its strategy",
    steps: [
      post(DEPLOYMENT, named("a", { spec: { selector, template, strategy: {} } })),
      patch(`${DEPLOYMENT}/a`, merge, { spec: { strategy: { type: "Recreate" } } }),
      patch(`${DEPLOYMENT}/a`, strategic, { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
      patch(`${DEPLOYMENT}/a/scale`, merge, { spec: { replicas: 4 } }),
      get(`${DEPLOYMENT}/a/scale`),
    ],
  },
];
