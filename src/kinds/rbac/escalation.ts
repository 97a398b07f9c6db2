// Prevents privilege escalation: a user may write only roles whose rights they hold, or with the verb "escalate", and
// bind only roles whose rights they hold, or with the verb "bind". system:masters is exempt.
// Upstream: pkg/registry/rbac/escalation_check.go; pkg/registry/rbac/*/policybased/storage.go

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { deepEqual } from "#api/patch/json-value.ts";
import { bareFailure, newBadRequest, newForbidden, newNotFound } from "#api/status-error.ts";
import { aggregateText } from "#base/errors.ts";
import type { KindCall, KindHooks, KindServer } from "#kinds/hooks.ts";
import { describeRules, quoteList, uncoveredRules } from "./policy-rules.ts";
import { RBAC_GROUP } from "./rbac-validation.ts";

type Role = rbac.Role | rbac.ClusterRole;
type Binding = rbac.RoleBinding | rbac.ClusterRoleBinding;

const EVERYTHING: readonly rbac.PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
];

export const roleHooks = <T extends Role>(server: KindServer): KindHooks<T> => ({
  async authorizeWrite(call, role, old, signal) {
    if (isMaster(call) || changesNothingButOwners(role, old)) return;
    const { resource } = call.groupResource;
    if (await isAllowed(server, call, { verb: "escalate", resource, name: call.name }, signal)) return;
    confirmHeld(server, call, role, role.rules ?? []);
    // An aggregated role may get any rights later.
    if (!isAggregated(role) && !isAggregated(old)) return;
    if (missingRights(server, call, EVERYTHING) !== undefined) {
      throw refusal(call, role, "must have cluster-admin privileges to use the aggregationRule");
    }
  },
});

export const bindingHooks = <T extends Binding>(server: KindServer): KindHooks<T> => ({
  async authorizeWrite(call, binding, old, signal) {
    if (isMaster(call) || changesNothingButOwners(binding, old)) return;
    const { kind, name } = binding.roleRef;
    const resource = kind === "ClusterRole" ? "clusterroles" : "roles";
    const isKnown = kind === "ClusterRole" || kind === "Role";
    if (isKnown && (await isAllowed(server, call, { verb: "bind", resource, name }, signal))) return;
    if (!isKnown) throw bareFailure(500, "", `unsupported role reference kind: ${goQuote(kind)}`);
    if (kind === "Role" && call.namespace === "") throw newBadRequest("Namespace parameter required.");
    const namespace = kind === "ClusterRole" ? "" : call.namespace;
    const role = server.objects(`${resource}.${RBAC_GROUP}`).get(namespace, name)?.object as Role | undefined;
    // As upstream, the error names the resource of the request.
    if (role === undefined) throw newNotFound(call.groupResource, name);
    confirmHeld(server, call, binding, role.rules ?? []);
  },
});

const isMaster = ({ user }: KindCall): boolean => user.groups?.includes("system:masters") === true;

const isAggregated = (role: Role | undefined): boolean =>
  ((role as rbac.ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors ?? []).length > 0;

/** True if only owners and finalizers change, as by the garbage collector. */
function changesNothingButOwners(object: KubeObject, old: KubeObject | undefined): boolean {
  if (old === undefined) return false;
  const { ownerReferences, finalizers, managedFields } = old.metadata ?? {};
  return deepEqual(withMeta(object, { ownerReferences, finalizers, managedFields }), old);
}

async function isAllowed(
  server: KindServer,
  { user, namespace }: KindCall,
  what: { readonly verb: string; readonly resource: string; readonly name: string },
  signal: AbortSignal,
): Promise<boolean> {
  const question = { ...what, group: RBAC_GROUP, version: "*", subresource: "", namespace };
  return (await server.authorize(user, question, signal)).isAllowed;
}

function confirmHeld(server: KindServer, call: KindCall, object: KubeObject, rules: readonly rbac.PolicyRule[]): void {
  const problem = missingRights(server, call, rules);
  if (problem !== undefined) throw refusal(call, object, problem);
}

/** Undefined if the user holds all of them. */
function missingRights(
  server: KindServer,
  { user, namespace, groupResource }: KindCall,
  wanted: readonly rbac.PolicyRule[],
): string | undefined {
  const { rules, missingRoles } = server.heldRules(user, namespace);
  const missing = uncoveredRules(rules, wanted);
  if (missing.length === 0) return undefined;
  const who = `user ${goQuote(user.name)} (groups=${quoteList(user.groups ?? [])})`;
  const problems = missingRoles.map((name) => newNotFound(groupResource, name).message);
  const unresolved = problems.length === 0 ? "" : `; resolution errors: [${aggregateText(problems)}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${unresolved}`;
}

const refusal = ({ groupResource }: KindCall, { metadata }: KubeObject, why: string): Error =>
  newForbidden(groupResource, metadata?.name ?? "", why);
