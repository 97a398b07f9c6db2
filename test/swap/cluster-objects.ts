// The cluster that the managers hand over to each other: about 2,000 objects of more than 30 kinds, as kubectl creates
// them. node-player.ts creates the nodes.

export const TEAMS: readonly string[] = Array.from({ length: 10 }, (_, index) => `team-${index}`);
/** Large enough that its rollout is in progress when the leader is killed. */
export const BIG = { namespace: "team-0", name: "big", replicas: 40 };
/** Its pods run on the nodes that fail. */
export const FRAIL = { namespace: "team-1", name: "frail", replicas: 6 };

const times = <T>(count: number, make: (index: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, index) => make(index));

const container = { name: "main", image: "example/web:1" };
const podSpec = { containers: [container], terminationGracePeriodSeconds: 1 };
const claimSpec = (gibibytes: number) => ({
  accessModes: ["ReadWriteOnce"],
  storageClassName: "",
  resources: { requests: { storage: `${gibibytes}Gi` } },
});

interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly replicas?: number;
  readonly spec?: object;
  readonly pod?: object;
}

export const namespaceObject = (name: string): object => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

export function workload(apiVersion: string, kind: string, { namespace, name, replicas, spec, pod }: Workload): object {
  const labels = { app: name };
  const count = replicas === undefined ? {} : { replicas };
  // Few old revisions, so that the number of objects in a long run stays level.
  const history = kind === "ReplicationController" ? {} : { revisionHistoryLimit: 2 };
  const selector = kind === "ReplicationController" ? labels : { matchLabels: labels };
  const template = { metadata: { labels }, spec: { ...podSpec, ...pod } };
  return inside(namespace, apiVersion, kind, name, { spec: { ...count, ...history, selector, template, ...spec } });
}

export function job(namespace: string, name: string): object {
  const template = { spec: { ...podSpec, restartPolicy: "Never" } };
  return inside(namespace, "batch/v1", "Job", name, { spec: { completions: 4, parallelism: 2, template } });
}

export function service(namespace: string, name: string, app: string): object {
  return inside(namespace, "v1", "Service", name, { spec: { selector: { app }, ports: [{ port: 80 }] } });
}

export function volume(name: string, gibibytes: number): object {
  const spec = { accessModes: ["ReadWriteOnce"], capacity: { storage: `${gibibytes}Gi` } };
  return clusterWide("v1", "PersistentVolume", name, {
    spec: { ...spec, persistentVolumeReclaimPolicy: "Retain", hostPath: { path: "/nowhere" } },
  });
}

/**
 * `volumeName` binds the claim to this volume; otherwise the controller finds the smallest volume that is large enough.
 */
export function claim(namespace: string, name: string, gibibytes: number, volumeName?: string): object {
  const spec = { ...claimSpec(gibibytes), ...(volumeName === undefined ? {} : { volumeName }) };
  return inside(namespace, "v1", "PersistentVolumeClaim", name, { spec });
}

export function podWithClaim(namespace: string, name: string, claimName: string): object {
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
  return inside(namespace, "v1", "Pod", name, { spec: { ...podSpec, volumes } });
}

export function inside(namespace: string, apiVersion: string, kind: string, name: string, rest: object = {}): object {
  return { apiVersion, kind, metadata: { name, namespace }, ...rest };
}

export function clusterWide(apiVersion: string, kind: string, name: string, rest: object = {}): object {
  return { apiVersion, kind, metadata: { name }, ...rest };
}

export const WIDGETS = { group: "swap.example.com", version: "v1", plural: "widgets", kind: "Widget" };

/** The objects that the rest depends on. */
export const definitions: readonly object[] = [
  ...TEAMS.map(namespaceObject),
  clusterWide("apiextensions.k8s.io/v1", "CustomResourceDefinition", `${WIDGETS.plural}.${WIDGETS.group}`, {
    spec: {
      group: WIDGETS.group,
      scope: "Namespaced",
      names: { plural: WIDGETS.plural, kind: WIDGETS.kind },
      versions: [
        {
          name: WIDGETS.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  }),
];

const rbac = "rbac.authorization.k8s.io/v1";
const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
const readMaps = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];
const devices = { requests: [{ name: "one", exactly: { deviceClassName: "device-0" } }] };
const anyDeployment = {
  resourceRules: [{ apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] }],
};

export const AGGREGATED = "sum";
export const AGGREGATED_LABELS = { "swap.example.com/sum": "yes" };

const clusterWideObjects: readonly object[] = [
  ...times(30, (index) => clusterWide(rbac, "ClusterRole", `reader-${index}`, { rules: readMaps })),
  ...times(30, (index) =>
    clusterWide(rbac, "ClusterRoleBinding", `reader-${index}`, {
      roleRef: roleRef("ClusterRole", `reader-${index}`),
      subjects: [{ kind: "ServiceAccount", name: "account-0", namespace: "team-0" }],
    }),
  ),
  clusterWide(rbac, "ClusterRole", AGGREGATED, {
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: AGGREGATED_LABELS }] },
    rules: [],
  }),
  ...times(3, (index) => clusterWide("scheduling.k8s.io/v1", "PriorityClass", `class-${index}`, { value: index })),
  ...times(2, (index) =>
    clusterWide("storage.k8s.io/v1", "StorageClass", `store-${index}`, { provisioner: "example.com/none" }),
  ),
  clusterWide("storage.k8s.io/v1", "CSIDriver", "csi.example.com", { spec: { attachRequired: false } }),
  clusterWide("storage.k8s.io/v1", "VolumeAttributesClass", "fast", {
    driverName: "csi.example.com",
    parameters: { speed: "high" },
  }),
  clusterWide("networking.k8s.io/v1", "IngressClass", "front", { spec: { controller: "example.com/front" } }),
  clusterWide("node.k8s.io/v1", "RuntimeClass", "sandbox", { handler: "sandbox" }),
  ...times(2, (index) => clusterWide("resource.k8s.io/v1", "DeviceClass", `device-${index}`, { spec: {} })),
  clusterWide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "few", {
    spec: { matchConstraints: anyDeployment, validations: [{ expression: "object.spec.replicas < 99" }] },
  }),
  clusterWide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding", "few", {
    spec: { policyName: "few", validationActions: ["Warn"] },
  }),
  ...TEAMS.map((_, index) => volume(`base-${index}`, 1)),
];

function teamObjects(team: string, index: number): readonly object[] {
  const own = (apiVersion: string, kind: string, name: string, rest?: object): object =>
    inside(team, apiVersion, kind, name, rest);
  const subjects = [{ kind: "ServiceAccount", name: "account-0", namespace: team }];
  return [
    ...times(60, (n) => own("v1", "ConfigMap", `map-${n}`, { data: { number: String(n) } })),
    ...times(45, (n) => own("v1", "Secret", `secret-${n}`, { stringData: { number: String(n) } })),
    ...times(5, (n) => own("v1", "ServiceAccount", `account-${n}`)),
    ...times(5, (n) => own(rbac, "Role", `role-${n}`, { rules: readMaps })),
    ...times(5, (n) => own(rbac, "RoleBinding", `role-${n}`, { roleRef: roleRef("Role", `role-${n}`), subjects })),
    own("v1", "LimitRange", "claims", {
      spec: { limits: [{ type: "PersistentVolumeClaim", max: { storage: "99Gi" } }] },
    }),
    own("v1", "ResourceQuota", "most", { spec: { hard: { pods: "200", configmaps: "500", services: "50" } } }),
    ...times(3, (n) => own("networking.k8s.io/v1", "NetworkPolicy", `policy-${n}`, { spec: { podSelector: {} } })),
    ...times(2, (n) =>
      own("networking.k8s.io/v1", "Ingress", `front-${n}`, {
        spec: { defaultBackend: { service: { name: "web-0", port: { number: 80 } } } },
      }),
    ),
    ...times(4, (n) => service(team, `web-${n}`, `web-${n % 3}`)),
    own("v1", "Service", "by-hand", { spec: { ports: [{ port: 80 }] } }),
    own("v1", "Endpoints", "by-hand", { subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 80 }] }] }),
    own("policy/v1", "PodDisruptionBudget", "web-0", {
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web-0" } } },
    }),
    own("autoscaling/v2", "HorizontalPodAutoscaler", "web-1", {
      spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web-1" } },
    }),
    ...times(3, (n) => workload("apps/v1", "Deployment", { namespace: team, name: `web-${n}`, replicas: 3 })),
    workload("apps/v1", "StatefulSet", { namespace: team, name: "db", replicas: 2, spec: { serviceName: "db" } }),
    workload("v1", "ReplicationController", { namespace: team, name: "old", replicas: 2 }),
    own("batch/v1", "CronJob", "yearly", {
      spec: {
        schedule: "0 0 1 1 *",
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      },
    }),
    claim(team, "data", 1, `base-${index}`),
    own("resource.k8s.io/v1", "ResourceClaimTemplate", "device", { spec: { spec: { devices } } }),
    own("resource.k8s.io/v1", "ResourceClaim", "device", { spec: { devices } }),
    own("v1", "PodTemplate", "plain", { template: { metadata: {}, spec: podSpec } }),
    ...times(5, (n) => own(`${WIDGETS.group}/${WIDGETS.version}`, WIDGETS.kind, `widget-${n}`)),
  ];
}

const general = { nodeSelector: { pool: "general" } };

export const population: readonly object[] = [
  ...clusterWideObjects,
  ...TEAMS.flatMap(teamObjects),
  ...["team-0", "team-1"].map((namespace) =>
    workload("apps/v1", "DaemonSet", { namespace, name: "agent", pod: general }),
  ),
  workload("apps/v1", "Deployment", BIG),
  workload("apps/v1", "Deployment", { ...FRAIL, pod: { nodeSelector: { pool: "frail" } } }),
];
