// Objects that give controllers of all families work. They need no scheduler and no kubelet.

export const NAMESPACE = "whole";

const labels = { app: "web" };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: "c", image: "i" }] };
const template = { metadata: { labels }, spec: podSpec };
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: "Never" } } };
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

/** The namespace and the cluster-scoped objects. */
export const clusterObjects: readonly object[] = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } },
  { apiVersion: "v1", kind: "Node", metadata: { name: "node-a" } },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "volume" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/nowhere" } },
  },
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttributesClass",
    metadata: { name: "fast" },
    driverName: "example.com",
    parameters: { speed: "high" },
  },
  {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: "few" },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] },
        ],
      },
      validations: [{ expression: "object.spec.replicas < 9" }],
    },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "sum" },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sum: "yes" } }] },
    rules: [],
  },
];

export const namespacedObjects: readonly object[] = [
  named("apps/v1", "Deployment", "web", { spec: { replicas: 2, selector, template } }),
  named("apps/v1", "StatefulSet", "db", { spec: { serviceName: "db", selector, template } }),
  named("apps/v1", "DaemonSet", "agent", { spec: { selector, template } }),
  named("v1", "ReplicationController", "old", { spec: { replicas: 1, selector: labels, template } }),
  named("batch/v1", "Job", "once", { spec: { ...jobSpec, ttlSecondsAfterFinished: 1 } }),
  named("batch/v1", "CronJob", "yearly", { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: jobSpec } } }),
  named("v1", "Service", "web", { spec: { selector: labels, ports: [{ port: 80 }] } }),
  named("v1", "Service", "by-hand", { spec: { ports: [{ port: 80 }] } }),
  named("v1", "Endpoints", "by-hand", { subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 80 }] }] }),
  named("policy/v1", "PodDisruptionBudget", "web", { spec: { selector, minAvailable: 1 } }),
  named("autoscaling/v2", "HorizontalPodAutoscaler", "web", {
    spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" } },
  }),
  named("v1", "ResourceQuota", "few", { spec: { hard: { configmaps: "10" } } }),
  named("v1", "PersistentVolumeClaim", "data", { spec: { ...claimSpec, volumeName: "volume" } }),
  named("v1", "Secret", "token", {
    type: "kubernetes.io/service-account-token",
    metadata: {
      name: "token",
      namespace: NAMESPACE,
      annotations: { "kubernetes.io/service-account.name": "default" },
    },
  }),
  named("resource.k8s.io/v1", "ResourceClaimTemplate", "device", {
    spec: { spec: { devices: { requests: [{ name: "one", exactly: { deviceClassName: "none" } }] } } },
  }),
  named("v1", "Pod", "claims", {
    spec: {
      ...podSpec,
      resourceClaims: [{ name: "device", resourceClaimTemplateName: "device" }],
      volumes: [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec: claimSpec } } }],
    },
  }),
];

function named(apiVersion: string, kind: string, name: string, rest: object): object {
  return { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, ...rest };
}
