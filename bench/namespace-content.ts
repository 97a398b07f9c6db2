// The contents of a namespace: thirty kinds, two of them custom. None needs a controller to be deleted.

import {
  ControllerRevisions,
  DaemonSets,
  Deployments,
  ReplicaSets,
  StatefulSets,
} from "#api/generated/resources/apps-v1.ts";
import { HorizontalPodAutoscalers } from "#api/generated/resources/autoscaling-v2.ts";
import { CronJobs, Jobs } from "#api/generated/resources/batch-v1.ts";
import { Leases } from "#api/generated/resources/coordination-v1.ts";
import {
  ConfigMaps,
  Endpoints,
  LimitRanges,
  Pods,
  PodTemplates,
  ReplicationControllers,
  ResourceQuotas,
  Secrets,
  ServiceAccounts,
  Services,
} from "#api/generated/resources/core-v1.ts";
import { EndpointSlices } from "#api/generated/resources/discovery-v1.ts";
import { Ingresses, NetworkPolicies } from "#api/generated/resources/networking-v1.ts";
import { PodDisruptionBudgets } from "#api/generated/resources/policy-v1.ts";
import { RoleBindings, Roles } from "#api/generated/resources/rbac-v1.ts";
import { ResourceClaims, ResourceClaimTemplates } from "#api/generated/resources/resource-v1.ts";
import { CSIStorageCapacities } from "#api/generated/resources/storage-v1.ts";
import type { CustomResourceDefinitionSpec } from "#api/generated/types/apiextensions-v1.ts";
import { type Resource, resourceHandle, type StoredObject } from "#api/resource.ts";

interface NamespacedKind {
  readonly resource: Resource<StoredObject>;
  /** The fields besides metadata. */
  readonly content?: object;
  /** The name of the first object, if it is not derived from the kind. */
  readonly firstName?: string;
}

const labels = { app: "web" };
const selector = { matchLabels: labels };
const podSpec = { containers: [{ name: "main", image: "example/web:1" }] };
const template = { metadata: { labels }, spec: podSpec };
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: "Never" } } };
const devices = { requests: [{ name: "one", exactly: { deviceClassName: "none" } }] };
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" };

const custom = (kind: string): Resource<StoredObject> =>
  resourceHandle({
    group: `${kind.toLowerCase()}s.example.com`,
    version: "v1",
    resource: `${kind.toLowerCase()}s`,
    kind,
    scope: "Namespaced",
  });

export const customKinds: readonly NamespacedKind[] = [
  { resource: custom("Widget") },
  { resource: custom("Gadget"), content: { spec: { size: 3 } } },
];

/**
 * Service accounts come before pods. Limits and quotas come last, so that they do not affect the objects before them.
 */
export const namespacedKinds: readonly NamespacedKind[] = [
  { resource: ServiceAccounts, firstName: "default" },
  { resource: ConfigMaps, content: { data: { key: "value" } } },
  { resource: Secrets, content: { stringData: { key: "value" } } },
  { resource: Pods, content: { spec: podSpec } },
  { resource: Services, content: { spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] } } },
  { resource: Endpoints, content: { subsets: [{ addresses: [{ ip: "192.0.2.7" }], ports: [{ port: 80 }] }] } },
  { resource: EndpointSlices, content: { addressType: "IPv4", endpoints: [{ addresses: ["192.0.2.7"] }], ports: [] } },
  { resource: PodTemplates, content: { template } },
  { resource: ReplicationControllers, content: { spec: { replicas: 1, selector: labels, template } } },
  { resource: ReplicaSets, content: { spec: { replicas: 1, selector, template } } },
  { resource: Deployments, content: { spec: { replicas: 1, selector, template } } },
  { resource: StatefulSets, content: { spec: { serviceName: "web", selector, template } } },
  { resource: DaemonSets, content: { spec: { selector, template } } },
  { resource: ControllerRevisions, content: { revision: 1, data: { spec: {} } } },
  { resource: Jobs, content: { spec: jobSpec } },
  { resource: CronJobs, content: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: jobSpec } } } },
  { resource: HorizontalPodAutoscalers, content: { spec: { maxReplicas: 3, scaleTargetRef } } },
  { resource: PodDisruptionBudgets, content: { spec: { selector, minAvailable: 1 } } },
  { resource: Leases, content: { spec: { holderIdentity: "one" } } },
  { resource: NetworkPolicies, content: { spec: { podSelector: selector } } },
  { resource: Ingresses, content: { spec: { defaultBackend: { service: { name: "web", port: { number: 80 } } } } } },
  { resource: Roles, content: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] } },
  { resource: RoleBindings, content: { roleRef, subjects: [] } },
  { resource: ResourceClaims, content: { spec: { devices } } },
  { resource: ResourceClaimTemplates, content: { spec: { spec: { devices } } } },
  { resource: CSIStorageCapacities, content: { storageClassName: "fast", capacity: "1Gi" } },
  ...customKinds,
  { resource: LimitRanges, content: { spec: { limits: [] } } },
  { resource: ResourceQuotas, content: { spec: { hard: { "count/bindings": "10" } } } },
];

export function objectOf({ resource: { kind }, content, firstName }: NamespacedKind, index: number): object {
  const usual = `${kind.toLowerCase()}-${index}`;
  return { metadata: { name: index === 0 ? (firstName ?? usual) : usual }, ...content };
}

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: CustomResourceDefinitionSpec;
}

export function definitionOf({ resource: { group, resource, kind } }: NamespacedKind): Definition {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: resource, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
