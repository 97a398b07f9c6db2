// Permissions for owner references: changing them requires the right to delete the object, and blockOwnerDeletion the
// right to update the owner's finalizers. Off by default.
// Upstream: plugin/pkg/admission/gc

import { semanticEqual } from "#api/equality.ts";
import { goQuote } from "#api/go-text.ts";
import type { OwnerReference } from "#api/meta.ts";
import { parseApiVersion } from "#api/object.ts";
import type { AccessDecision, AccessQuestion } from "#kinds/hooks.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";

export function ownerReferencesPermissionEnforcement(core: () => ServerCore): AdmissionPlugin {
  return {
    name: "OwnerReferencesPermissionEnforcement",
    handles: ({ operation, resource, subresource }) =>
      (operation === "CREATE" || operation === "UPDATE") &&
      !(resource.group === "" && resource.resource === "pods" && subresource === "status"),
    async validate(attributes, signal) {
      const owners = attributes.object?.metadata?.ownerReferences ?? [];
      const old = attributes.oldObject?.metadata?.ownerReferences ?? [];
      if (semanticEqual(owners, old)) return;
      const ask = (question: AccessQuestion): Promise<AccessDecision> =>
        core().kindServer.authorize(attributes.user, question, signal);
      const refuse = (why: string, decision: AccessDecision): void => {
        if (decision.isAllowed) return;
        throw admissionForbidden(attributes, `${why}: ${decision.reason}, <nil>`);
      };
      if (attributes.operation === "UPDATE") {
        const { resource, subresource, namespace, name } = attributes;
        const decision = await ask({ verb: "delete", ...resource, subresource, namespace, name });
        refuse("cannot set an ownerRef on a resource you can't delete", decision);
      }
      const blocking = newlyBlocking(owners, old);
      if (blocking.length === 0 || (await ask(FINALIZE_ANYTHING)).isAllowed) return;
      for (const question of blocking.flatMap((owner) => finalizersOf(core(), attributes, owner))) {
        const why =
          "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on";
        refuse(why, await ask(question));
      }
    },
  };
}

const FINALIZE_ANYTHING: AccessQuestion = {
  verb: "update",
  group: "*",
  version: "*",
  resource: "*",
  subresource: "finalizers",
  namespace: "",
  name: "*",
};

function newlyBlocking(owners: readonly OwnerReference[], old: readonly OwnerReference[]): readonly OwnerReference[] {
  const before = new Set(old.filter(({ blockOwnerDeletion }) => blockOwnerDeletion).map(({ uid }) => uid));
  return owners.filter(({ blockOwnerDeletion, uid }) => blockOwnerDeletion && !before.has(uid));
}

/** Several resources may have the same kind. */
function finalizersOf(
  { registry }: ServerCore,
  attributes: AdmissionAttributes,
  { apiVersion = "", kind = "", name = "" }: OwnerReference,
): readonly AccessQuestion[] {
  const { group, version } = parseApiVersion(apiVersion);
  const endpoints = registry.endpointsOf(group, version).filter((endpoint) => endpoint.version.kind === kind);
  if (endpoints.length === 0) {
    const problem = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
    const why = `cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${problem}`;
    throw admissionForbidden(attributes, `cannot set blockOwnerDeletion in this case because ${why}`);
  }
  return endpoints.map(({ row }) => ({
    verb: "update",
    group,
    version,
    resource: row.resource,
    subresource: "finalizers",
    namespace: row.namespaced ? attributes.namespace : "",
    name,
  }));
}
