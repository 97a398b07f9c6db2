// A user who makes a policy use parameters, or a binding refer to some, needs the right to read them. system:masters is
// exempt.
// Upstream: pkg/registry/admissionregistration/*/authz.go; pkg/registry/admissionregistration/resolver

import * as field from "#api/field-error.ts";
import type * as admission from "#api/generated/types/admissionregistration-v1.ts";
import { type KubeObject, parseApiVersion } from "#api/object.ts";
import { newInvalid } from "#api/status-error.ts";
import type { UserInfo } from "#api/user-info.ts";
import type { AccessQuestion, KindCall, KindHooks, KindServer } from "#kinds/hooks.ts";

type Policy = admission.ValidatingAdmissionPolicy | admission.MutatingAdmissionPolicy;
type Binding = admission.ValidatingAdmissionPolicyBinding | admission.MutatingAdmissionPolicyBinding;

const GROUP = "admissionregistration.k8s.io";
const SPEC = field.newPath("spec");

export const policyHooks =
  <T extends Policy>(kind: string) =>
  (server: KindServer): KindHooks<T> => ({
    async authorizeValid(call, policy, old, signal) {
      const paramKind = policy.spec?.paramKind;
      if (!paramKind || isExempt(call) || isSameKind(paramKind, old?.spec?.paramKind)) return;
      const resource = resourceOf(server, paramKind);
      const asked = { verb: "get", ...resource, subresource: "", namespace: "*", name: "*" };
      if (await isAllowed(server, call, asked, signal)) return;
      const { kind: of = "", apiVersion = "" } = paramKind;
      const scope = `all objects of the referenced paramKind (kind=${of}, apiVersion=${apiVersion})`;
      refuse(kind, policy, "paramKind", `user ${printed(call.user)} must have "get" permission on ${scope}`);
    },
  });

/**
 * `policies`: key of the policy kind. `lacks`: the message if the user lacks `verb` on the object that paramRef names.
 */
export const bindingHooks =
  <T extends Binding>(kind: string, policies: string, lacks: (user: string, verb: string) => string) =>
  (server: KindServer): KindHooks<T> => ({
    async authorizeValid(call, binding, _old, signal) {
      const { paramRef, policyName = "" } = binding.spec ?? {};
      // Upstream compares paramRef with the old one by address, so every write counts as a change.
      if (!paramRef || isExempt(call)) return;
      const policy = server.objects(policies).get("", policyName)?.object as Policy | undefined;
      const paramKind = policy?.spec?.paramKind ?? undefined;
      const resource = paramKind === undefined ? EVERYTHING : resourceOf(server, paramKind);
      const { name = "", namespace = "" } = paramRef;
      const verb = name === "" ? "list" : "get";
      if (await isAllowed(server, call, { verb, ...resource, subresource: "", namespace, name }, signal)) return;
      const user = printed(call.user);
      const lacksAll = `to determine minimum required permissions and user ${user} does not have "${verb}" permission for all groups, versions and resources`;
      const problem =
        policy === undefined
          ? `unable to get policy ${policyName} ${lacksAll}`
          : paramKind !== undefined && resource.resource === "*"
            ? `unable to resolve paramKind &{${paramKind.apiVersion ?? ""} ${paramKind.kind ?? ""}} ${lacksAll}`
            : lacks(user, verb);
      refuse(kind, binding, "paramRef", problem);
    },
  });

/** The status of a policy has no parameters. */
const isExempt = ({ subresource, user }: KindCall): boolean =>
  subresource !== "" || user.groups?.includes("system:masters") === true;

const isSameKind = (kind: admission.ParamKind, old: admission.ParamKind | undefined | null): boolean =>
  kind.kind === old?.kind && kind.apiVersion === old?.apiVersion;

interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

const EVERYTHING: Resource = { group: "*", version: "*", resource: "*" };

/** A kind that is not served could become any resource, so all resources are checked. */
function resourceOf(server: KindServer, { apiVersion = "", kind = "" }: admission.ParamKind): Resource {
  const { group, version } = parseApiVersion(apiVersion);
  return { group, version, resource: server.resourceOf({ group, version, kind }) ?? "*" };
}

async function isAllowed(
  server: KindServer,
  { user }: KindCall,
  question: AccessQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  return (await server.authorize(user, question, signal)).isAllowed;
}

/** In the form of Go's %v for the struct. */
function printed({ name, uid = "", groups = [], extra = {} }: UserInfo): string {
  const keys = Object.keys(extra).sort();
  const shown = keys.map((key) => `${key}:[${(extra[key] ?? []).join(" ")}]`).join(" ");
  return `&{${name} ${uid} [${groups.join(" ")}] map[${shown}]}`;
}

function refuse(kind: string, object: KubeObject, part: string, problem: string): never {
  throw newInvalid({ group: GROUP, kind }, object.metadata?.name ?? "", [field.forbidden(SPEC.child(part), problem)]);
}
