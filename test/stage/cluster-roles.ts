// Authorizes users of scenarios on the embedded server by the ClusterRoles and ClusterRoleBindings that scenarios make,
// until the server has an authorizer for roles. Masters and controllers do not come here.

import { ClusterRoleBindings, ClusterRoles } from "#api/generated/resources/rbac-v1.ts";
import type { ClusterRoleBinding, PolicyRule } from "#api/generated/types/rbac-v1.ts";
import type { UserInfo } from "#api/user-info.ts";
import { type Authorizer, mastersOnly } from "#apiserver/authorization.ts";
import type { Client } from "#client/client.ts";

interface Question {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
}

export function byClusterRoles(client: () => Client): Authorizer {
  return {
    ...mastersOnly,
    async authorize(attributes, signal) {
      const { user, info } = attributes;
      if (!info.isResourceRequest) return mastersOnly.authorize(attributes, signal);
      const bindings = await client().resource(ClusterRoleBindings).list({}, signal);
      for (const binding of bindings.items.filter((each) => isFor(each, user))) {
        const { rules } = await client().resource(ClusterRoles).get({ name: binding.roleRef.name }, signal);
        if (rules?.some((rule) => covers(rule, info)) === true) return { isAllowed: true };
      }
      return { isAllowed: false, reason: "" };
    },
  };
}

const isFor = ({ subjects = [] }: ClusterRoleBinding, { name, groups = [] }: UserInfo): boolean =>
  subjects.some((subject) => (subject.kind === "User" ? subject.name === name : groups.includes(subject.name)));

function covers({ apiGroups = [], resources = [], verbs = [] }: PolicyRule, question: Question): boolean {
  const { verb, group, resource, subresource } = question;
  const asked = subresource === "" ? resource : `${resource}/${subresource}`;
  return verbs.includes(verb) && apiGroups.includes(group) && resources.includes(asked);
}
