// The initial roles and bindings of a cluster, read from the generated table: one entry per object, with the feature
// gates on which the object or its rules depend ("Gate", "!Gate", "One&Other").

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";

/** A Role is a ClusterRole without aggregation. */
export type PolicyRole = Omit<rbac.ClusterRole, "kind">;
export type PolicyBinding = Omit<rbac.ClusterRoleBinding, "kind">;

export interface BootstrapPolicy {
  readonly clusterRoles: readonly PolicyRole[];
  readonly clusterRoleBindings: readonly PolicyBinding[];
  readonly roles: readonly PolicyRole[];
  readonly roleBindings: readonly PolicyBinding[];
}

export interface PolicyEntry {
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly when?: string;
  /** For a role. */
  readonly rules?: readonly rbac.PolicyRule[];
  /** Gates by index of the rule. */
  readonly rulesWhen?: Readonly<Record<string, string>>;
  /** The aggregated role that includes it. */
  readonly partOf?: string;
  /** The aggregation label, if it is an aggregated role. */
  readonly gathers?: string;
  /** For a binding. */
  readonly role?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly rbac.Subject[];
}

const GROUP = "rbac.authorization.k8s.io";
const AGGREGATES = "rbac.authorization.k8s.io/aggregate-to-";

export function bootstrapPolicyOf(entries: readonly PolicyEntry[], gates: FeatureGateReader): BootstrapPolicy {
  const clusterRoles: PolicyRole[] = [];
  const clusterRoleBindings: PolicyBinding[] = [];
  const roles: PolicyRole[] = [];
  const roleBindings: PolicyBinding[] = [];
  for (const entry of entries) {
    if (!holds(entry.when, gates)) continue;
    const isOfCluster = entry.namespace === undefined;
    if (entry.role === undefined) (isOfCluster ? clusterRoles : roles).push(roleOf(entry, gates));
    else (isOfCluster ? clusterRoleBindings : roleBindings).push(bindingOf(entry));
  }
  return { clusterRoles, clusterRoleBindings, roles, roleBindings };
}

/** The feature gates in the conditions of the entries, each once. */
export function gatesOf(entries: readonly PolicyEntry[]): readonly string[] {
  const conditions = entries.flatMap(({ when, rulesWhen = {} }) => [when ?? "", ...Object.values(rulesWhen)]);
  const names = conditions.flatMap((condition) => condition.split("&")).map((gate) => gate.replace("!", ""));
  return [...new Set(names)].filter((name) => name !== "").sort();
}

function holds(condition: string | undefined, gates: FeatureGateReader): boolean {
  if (condition === undefined) return true;
  return condition
    .split("&")
    .every((gate) => (gate.startsWith("!") ? !gates.isEnabled(gate.slice(1)) : gates.isEnabled(gate)));
}

function metadataOf({ name, namespace, partOf }: PolicyEntry): NonNullable<rbac.Role["metadata"]> {
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      ...(partOf !== undefined && { [`${AGGREGATES}${partOf}`]: "true" }),
    },
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
  };
}

function roleOf(entry: PolicyEntry, gates: FeatureGateReader): PolicyRole {
  const { rules = [], rulesWhen, gathers } = entry;
  const metadata = metadataOf(entry);
  if (gathers === undefined) {
    return { metadata, rules: rulesWhen ? rules.filter((_, index) => holds(rulesWhen[index], gates)) : rules };
  }
  const clusterRoleSelectors = [{ matchLabels: { [`${AGGREGATES}${gathers}`]: "true" } }];
  return { metadata, rules: null as never, aggregationRule: { clusterRoleSelectors } };
}

function bindingOf(entry: PolicyEntry): PolicyBinding {
  const { kind = "", name = "" } = entry.role ?? {};
  const { subjects } = entry;
  return { metadata: metadataOf(entry), ...(subjects && { subjects }), roleRef: { apiGroup: GROUP, kind, name } };
}
