// The rules that apply to a user, through the bindings that name it.
// Upstream: pkg/registry/rbac/validation/rule.go, DefaultRuleResolver

import type { ClusterRole, PolicyRule, RoleRef } from "#api/generated/types/rbac-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { ServerCore } from "../core.ts";
import type { Table } from "../storage/storage.ts";
import { type Binding, BoundRoles } from "./bound-roles.ts";

const GROUP = "rbac.authorization.k8s.io";

/** One rule and where it is from, or why the rules of a binding are not known. */
export type AppliedRule =
  | { readonly rule: PolicyRule; readonly binding: Binding }
  | { readonly rule: undefined; readonly problem: string };

export class RoleRules {
  readonly #bound: BoundRoles;
  readonly #roles: Table | undefined;
  readonly #clusterRoles: Table | undefined;

  /** A kind that is not served grants nothing. */
  constructor(core: ServerCore) {
    const table = (resource: string): Table | undefined => {
      const row = core.registry.row(`${resource}.${GROUP}`);
      return row && core.tableOf(row);
    };
    const bindings = [table("clusterrolebindings"), table("rolebindings")].filter((each) => each !== undefined);
    this.#bound = new BoundRoles(bindings, core.closing);
    this.#roles = table("roles");
    this.#clusterRoles = table("clusterroles");
  }

  /** Those of the cluster first; with a namespace those of its role bindings too. */
  *of(user: UserInfo, namespace: string): Generator<AppliedRule, void> {
    for (const scope of namespace === "" ? [""] : ["", namespace]) {
      for (const binding of this.#bound.of(user, scope)) {
        const rules = this.#rulesOf(binding.roleRef, scope);
        if (typeof rules === "string") yield { rule: undefined, problem: rules };
        else for (const rule of rules) yield { rule, binding };
      }
    }
  }

  /** Text: there is no such role. */
  #rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | string {
    const isClusterRole = kind === "ClusterRole";
    if (!isClusterRole && kind !== "Role") return `unsupported role reference kind: ${goQuote(kind)}`;
    const role = isClusterRole ? this.#clusterRoles?.get(name) : this.#roles?.get(`${namespace}/${name}`);
    if (role !== undefined) return (role.object as ClusterRole).rules ?? [];
    return `${isClusterRole ? "clusterrole" : "role"}.${GROUP} ${goQuote(name)} not found`;
  }
}
