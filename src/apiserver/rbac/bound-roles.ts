// Which bindings name a user, indexed by subject and updated with the bindings, so that a request reads only the
// bindings of its user and groups. Upstream: pkg/registry/rbac/validation/rule.go, which reads all of them.

import type * as rbac from "#api/generated/types/rbac-v1.ts";
import { goQuote } from "#api/go-text.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { StoredVersion, Table } from "../storage/storage.ts";
import { accountUserName } from "../tokens/account-tokens.ts";

/** As upstream, the namespace decides whether a binding is a RoleBinding. */
export interface Binding {
  readonly name: string;
  /** "" for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleRef: rbac.RoleRef;
  readonly subjects: readonly rbac.Subject[];
}

const ANSWERS_MAX = 1_000;

type BindingsByName = ReadonlyMap<string, Binding>;

export class BoundRoles {
  /** By namespace ("" for the cluster), then by subject. */
  readonly #scopes = new Map<string, Map<string, Map<string, Binding>>>();
  /** The bindings of users that made requests since the last change. */
  readonly #answers = new Map<string, readonly Binding[]>();

  /** tables: of both kinds of bindings. */
  constructor(tables: readonly Table[], closing: AbortSignal) {
    for (const table of tables) {
      for (const version of table.scan({ prefix: "" })) this.#add(bindingOf(version));
      const subscription = table.subscribe((version) => this.#change(version));
      closing.addEventListener("abort", () => subscription[Symbol.dispose](), { once: true });
    }
  }

  /** The bindings of one namespace, or of the cluster, that name the user or one of its groups, sorted by name. */
  of(user: UserInfo, namespace: string): readonly Binding[] {
    const scope = this.#scopes.get(namespace);
    if (scope === undefined) return [];
    const question = JSON.stringify([namespace, user.name, user.groups]);
    let answer = this.#answers.get(question);
    if (answer === undefined) {
      answer = bindingsIn(scope, user);
      if (this.#answers.size === ANSWERS_MAX) this.#answers.clear();
      this.#answers.set(question, answer);
    }
    return answer;
  }

  #change(version: StoredVersion): void {
    this.#answers.clear();
    const { previous, isDeletion } = version;
    if (previous !== undefined && !previous.isDeletion) this.#remove(bindingOf(previous));
    if (isDeletion) this.#remove(bindingOf(version));
    else this.#add(bindingOf(version));
  }

  #add(binding: Binding): void {
    const { namespace, name } = binding;
    const scope = this.#scopes.get(namespace) ?? new Map<string, Map<string, Binding>>();
    this.#scopes.set(namespace, scope);
    for (const key of subjectKeys(binding)) {
      const bindings = scope.get(key) ?? new Map<string, Binding>();
      scope.set(key, bindings.set(name, binding));
    }
  }

  #remove(binding: Binding): void {
    const { namespace, name } = binding;
    const scope = this.#scopes.get(namespace);
    for (const key of subjectKeys(binding)) {
      const bindings = scope?.get(key);
      bindings?.delete(name);
      if (bindings?.size === 0) scope?.delete(key);
    }
    if (scope?.size === 0) this.#scopes.delete(namespace);
  }
}

function bindingsIn(scope: ReadonlyMap<string, BindingsByName>, { name, groups = [] }: UserInfo): readonly Binding[] {
  const found: BindingsByName[] = [];
  const ofUser = scope.get(userKey(name));
  if (ofUser !== undefined) found.push(ofUser);
  for (const group of groups) {
    const ofGroup = scope.get(groupKey(group));
    if (ofGroup !== undefined) found.push(ofGroup);
  }
  const bindings = new Map<string, Binding>();
  for (const byName of found) for (const [key, binding] of byName) bindings.set(key, binding);
  return [...bindings.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** "ClusterRoleBinding "a" of ClusterRole "b" to Group "c"": the binding and the matching subject. */
export function describeBinding(binding: Binding, user: UserInfo): string {
  const { name, namespace, roleRef, subjects } = binding;
  const keys = new Set([userKey(user.name), ...(user.groups ?? []).map(groupKey)]);
  const subject = subjects.find((each) => keys.has(subjectKey(each, namespace) ?? ""));
  const shown =
    namespace === "" ? `ClusterRoleBinding ${goQuote(name)}` : `RoleBinding ${goQuote(`${name}/${namespace}`)}`;
  return `${shown} of ${roleRef.kind} ${goQuote(roleRef.name)} to ${subject && describeSubject(subject, namespace)}`;
}

function describeSubject({ kind, name, namespace = "" }: rbac.Subject, bindingNamespace: string): string {
  return `${kind} ${goQuote(kind === "ServiceAccount" ? `${name}/${namespace || bindingNamespace}` : name)}`;
}

function bindingOf({ object }: StoredVersion): Binding {
  const { metadata, roleRef, subjects = [] } = object as rbac.RoleBinding;
  return { name: metadata?.name ?? "", namespace: metadata?.namespace ?? "", roleRef, subjects };
}

const userKey = (name: string): string => `User ${name}`;
const groupKey = (name: string): string => `Group ${name}`;

function subjectKeys({ subjects, namespace }: Binding): readonly string[] {
  return subjects.flatMap((subject) => subjectKey(subject, namespace) ?? []);
}

/** A service account in a RoleBinding is in the binding's namespace unless given. */
function subjectKey({ kind, name, namespace = "" }: rbac.Subject, bindingNamespace: string): string | undefined {
  switch (kind) {
    case "User":
      return userKey(name);
    case "Group":
      return groupKey(name);
    case "ServiceAccount": {
      const own = namespace || bindingNamespace;
      return own === "" ? undefined : userKey(accountUserName(own, name));
    }
    default:
      return undefined;
  }
}
