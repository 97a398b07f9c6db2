// The rules that apply to a user through bindings.
// Upstream: pkg/registry/rbac/validation/rule.go, DefaultRuleResolver

import type { ClusterRole, PolicyRule, RoleRef } from "#api/generated/types/rbac-v1.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { HeldRules } from "#kinds/hooks.ts";
import type { ServerCore } from "../core.ts";
import type { Table } from "../storage/storage.ts";
import { type Binding, BoundRoles } from "./bound-roles.ts";

const GROUP = "rbac.authorization.k8s.io";

/** A rule and its binding, or a binding whose role does not exist. */
export type AppliedRule = { readonly rule: PolicyRule | undefined; readonly binding: Binding };

export class RoleRules {
  readonly #bound: BoundRoles;
  readonly #roles: Table | undefined;
  readonly #clusterRoles: Table | undefined;

  /** Kinds that are not served grant nothing. */
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

  /** The rules of the cluster first; with a namespace also those of its role bindings. */
  *of(user: UserInfo, namespace: string): Generator<AppliedRule, void> {
    for (const scope of namespace === "" ? [""] : ["", namespace]) {
      for (const binding of this.#bound.of(user, scope)) {
        const rules = this.#rulesOf(binding.roleRef, scope);
        if (rules === undefined) yield { rule: undefined, binding };
        else for (const rule of rules) yield { rule, binding };
      }
    }
  }

  held(user: UserInfo, namespace: string): HeldRules {
    const rules: PolicyRule[] = [];
    const missingRoles: string[] = [];
    for (const { rule, binding } of this.of(user, namespace)) {
      if (rule === undefined) missingRoles.push(binding.roleRef.name);
      else rules.push(rule);
    }
    return { rules, missingRoles };
  }

  /** Undefined: the role does not exist. */
  #rulesOf({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role = kind === "ClusterRole" ? this.#clusterRoles?.get(name) : this.#roles?.get(`${namespace}/${name}`);
    return role && ((role.object as ClusterRole).rules ?? []);
  }
}
