// Creates the initial roles and bindings of a cluster, and adds to existing ones what they lack. Rules, subjects,
// labels and annotations of users stay. An object with the annotation autoupdate "false" is not changed.
// Upstream: pkg/registry/rbac/rest/storage_rbac.go; component-helpers/auth/rbac/reconciliation

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import { lazy } from "#api/lazy.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import type { FeatureGateReader } from "#base/feature-gates.ts";
import { uncoveredRules } from "#kinds/rbac/policy-rules.ts";
import type { ServerCore } from "../core.ts";
import { BOOTSTRAP_POLICY } from "../generated/bootstrap-policy.ts";
import { deleteOwn, keyOfObject, storeOwn, updateOwn, withOwnedFields } from "../write/own-objects.ts";
import {
  type PolicyBinding as Binding,
  type BootstrapPolicy,
  bootstrapPolicyOf,
  gatesOf,
  type PolicyEntry,
  type PolicyRole as Role,
} from "./policy-table.ts";

const GROUP = "rbac.authorization.k8s.io";
const AUTO_UPDATE = "rbac.authorization.kubernetes.io/autoupdate";

/** Servers share the rules and subjects, which are frozen once one server has stored them. */
const policyEntries = lazy(() => JSON.parse(BOOTSTRAP_POLICY) as readonly PolicyEntry[]);

/** By the states of the feature gates that entries depend on. */
const policies = new Map<string, BootstrapPolicy>();
const gateNames = lazy(() => gatesOf(policyEntries()));

function policyFor(gates: FeatureGateReader): BootstrapPolicy {
  const answers = gateNames()
    .filter((gate) => gates.isEnabled(gate))
    .join();
  const policy = policies.get(answers) ?? bootstrapPolicyOf(policyEntries(), gates);
  policies.set(answers, policy);
  return policy;
}

export function bootstrapPolicy(core: ServerCore): void {
  const policy = policyFor(core.gates);
  reconcile(core, "clusterroles", policy.clusterRoles, completedRole);
  reconcile(core, "clusterrolebindings", policy.clusterRoleBindings, completedBinding);
  reconcile(core, "roles", policy.roles, completedRole);
  reconcile(core, "rolebindings", policy.roleBindings, completedBinding);
}

/** `complete` adds to an existing object what it lacks, or returns that it must be replaced. */
function reconcile<T extends KubeObject>(
  core: ServerCore,
  resource: string,
  objects: readonly T[],
  complete: (existing: T, expected: T) => T | "recreate",
): void {
  const row = core.registry.row(`${resource}.${GROUP}`);
  if (row === undefined) return;
  const table = core.tableOf(row);
  const ownedOf = (object: T): KubeObject => withOwnedFields(core, row, object, fieldsOf(object));
  for (const expected of objects) {
    const key = keyOfObject(row, expected);
    const stored = table.get(key);
    if (stored === undefined) {
      storeOwn(core, row, ownedOf(expected));
      continue;
    }
    const existing = stored.object as T;
    if (existing.metadata?.annotations?.[AUTO_UPDATE] === "false") continue;
    const completed = complete(existing, expected);
    if (completed === "recreate") {
      deleteOwn(core, row.table, key);
      storeOwn(core, row, ownedOf(expected));
    } else if (!deepEqual(completed, existing)) updateOwn(core, row, stored, completed);
  }
}

/** The owned fields of a policy's objects, which servers share. */
const knownFields = new WeakMap<KubeObject, Readonly<Record<string, unknown>>>();

function fieldsOf(object: KubeObject): Readonly<Record<string, unknown>> {
  const fields = knownFields.get(object) ?? ownedFields(object);
  knownFields.set(object, fields);
  return fields;
}

/** All fields of such an object as managed fields: its lists and its role reference are atomic. */
function ownedFields(object: KubeObject): Readonly<Record<string, unknown>> {
  const { rules, aggregationRule, roleRef, subjects } = object as Role & Binding;
  const { labels = {}, annotations = {} } = object.metadata ?? {};
  const keys = (map: Readonly<Record<string, string>>): Record<string, object> =>
    Object.fromEntries([".", ...Object.keys(map).map((key) => `f:${key}`)].map((key) => [key, {}]));
  return {
    ...(aggregationRule && { "f:aggregationRule": { ".": {}, "f:clusterRoleSelectors": {} } }),
    "f:metadata": { "f:annotations": keys(annotations), "f:labels": keys(labels) },
    ...(roleRef && { "f:roleRef": {} }),
    ...(rules && { "f:rules": {} }),
    ...(subjects && { "f:subjects": {} }),
  };
}

function completedRole(existing: Role, expected: Role): Role {
  const missing = uncoveredRules(existing.rules ?? [], expected.rules ?? []);
  const { aggregationRule: _, ...role } = withExpectedMeta(existing, expected);
  const rules = missing.length === 0 ? {} : { rules: [...(existing.rules ?? []), ...missing] };
  const aggregationRule = completedAggregation(existing.aggregationRule, expected.aggregationRule);
  return { ...role, ...rules, ...(aggregationRule && { aggregationRule }) };
}

function completedAggregation(
  existing: rbac.AggregationRule | undefined,
  expected: rbac.AggregationRule | undefined,
): rbac.AggregationRule | undefined {
  if (expected === undefined) return undefined;
  const held = existing?.clusterRoleSelectors ?? [];
  const missing = (expected.clusterRoleSelectors ?? []).filter((each) => !held.some((own) => deepEqual(own, each)));
  return missing.length === 0 ? existing : { ...existing, clusterRoleSelectors: [...held, ...missing] };
}

function completedBinding(existing: Binding, expected: Binding): Binding | "recreate" {
  if (!deepEqual(existing.roleRef, expected.roleRef)) return "recreate";
  const held = existing.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((each) => !held.some((own) => deepEqual(own, each)));
  const binding = withExpectedMeta(existing, expected);
  return missing.length === 0 ? binding : { ...binding, subjects: [...held, ...missing] };
}

function withExpectedMeta<T extends KubeObject>(existing: T, expected: T): T {
  const { labels, annotations } = existing.metadata ?? {};
  return withMeta(existing, {
    labels: { ...expected.metadata?.labels, ...labels },
    annotations: { ...expected.metadata?.annotations, ...annotations },
  });
}
