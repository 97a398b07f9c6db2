// The discovery priorities of built-in groups and versions, as in their APIServices.
// Upstream: pkg/controlplane/apiserver/aggregator.go, cmd/kube-apiserver/app/aggregator.go

export interface Priority {
  readonly group: number;
  readonly version: number;
}

const GROUPS: Readonly<Record<string, readonly [group: number, versions: Readonly<Record<string, number>>]>> = {
  "": [18_000, { v1: 1 }],
  apps: [17_800, { v1: 15 }],
  "events.k8s.io": [17_750, { v1: 15 }],
  "authentication.k8s.io": [17_700, { v1: 15 }],
  "authorization.k8s.io": [17_600, { v1: 15 }],
  autoscaling: [17_500, { v2: 30, v1: 15 }],
  batch: [17_400, { v1: 15 }],
  "certificates.k8s.io": [17_300, { v1: 15, v1beta1: 9, v1alpha1: 1 }],
  "networking.k8s.io": [17_200, { v1: 15, v1beta1: 9 }],
  policy: [17_100, { v1: 15 }],
  "rbac.authorization.k8s.io": [17_000, { v1: 15 }],
  "storage.k8s.io": [16_800, { v1: 15, v1beta1: 9 }],
  "admissionregistration.k8s.io": [16_700, { v1: 15, v1beta1: 12, v1alpha1: 9 }],
  "apiextensions.k8s.io": [16_700, { v1: 15 }],
  "scheduling.k8s.io": [16_600, { v1: 15, v1alpha2: 2 }],
  "coordination.k8s.io": [16_500, { v1: 15, v1beta1: 13, v1alpha2: 12 }],
  "node.k8s.io": [16_300, { v1: 15 }],
  "discovery.k8s.io": [16_200, { v1: 15 }],
  "resource.k8s.io": [16_200, { v1: 21, v1beta2: 15, v1beta1: 9, v1alpha3: 1 }],
  "flowcontrol.apiserver.k8s.io": [16_100, { v1: 21 }],
  "internal.apiserver.k8s.io": [16_000, { v1alpha1: 9 }],
  "storagemigration.k8s.io": [15_800, { v1beta1: 9 }],
};

/** For groups of custom resources. */
export const CUSTOM_PRIORITY: Priority = { group: 1_000, version: 100 };

/** Undefined for apiregistration.k8s.io, which is always first and has no APIService, and for custom groups. */
export function builtinPriority(group: string, version: string): Priority | undefined {
  const [rank, versions] = GROUPS[group] ?? [];
  const versionRank = versions?.[version];
  return rank === undefined || versionRank === undefined ? undefined : { group: rank, version: versionRank };
}

/** Undefined for groups that are not built in. */
export const builtinGroupPriority = (group: string): number | undefined => GROUPS[group]?.[0];
