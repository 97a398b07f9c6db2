// Refuses writes that exceed the quotas of their namespace, and charges accepted writes at once. Upstream:
// k8s.io/apiserver/pkg/admission/plugin/resourcequota
//
// Nothing is awaited between reading and charging the quotas, so two writes cannot use the same remainder and no charge
// conflicts. As upstream, a write that fails after its charge stays charged until the quota controller recalculates.

import type { Pod, ResourceQuota } from "#api/generated/types/core-v1.ts";
import type { DeviceClass, ResourceClaim } from "#api/generated/types/resource-v1.ts";
import type { KubeObject } from "#api/object.ts";
import { withResourceVersion } from "#api/object-meta.ts";
import { getControllerOf } from "#api/owner-refs.ts";
import { bareFailure } from "#api/status-error.ts";
import { assert, unreachable } from "#base/assert.ts";
import { checkRequest, type QuotaRequest } from "#rules/quota/check-request.ts";
import { ExtendedResources } from "#rules/quota/extended-resources.ts";
import { isIgnoredByQuota, QuotaRegistry } from "#rules/quota/registry.ts";
import { EXTENDED_CLAIM_ANNOTATION, type ResourceClaimSources } from "#rules/quota/resource-claims.ts";
import { type AdmissionAttributes, type AdmissionPlugin, admissionForbidden } from "../admission.ts";
import type { ServerCore } from "../core.ts";
import { recordUpdate } from "../managed-fields.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { internalCall } from "./internal-call.ts";

export function resourceQuota(core: () => ServerCore): AdmissionPlugin {
  let registry: QuotaRegistry | undefined;
  return {
    name: "ResourceQuota",
    handles: ({ operation, namespace, kind }) =>
      namespace !== "" &&
      (operation === "UPDATE" || (operation === "CREATE" && !(kind.group === "" && kind.kind === "Namespace"))),
    validate(attributes) {
      const { resource, object } = attributes;
      if (object === undefined || isIgnoredByQuota(resource)) return;
      const stored = quotasOf(core(), attributes.namespace);
      if (stored.length === 0) return;
      registry ??= new QuotaRegistry(claimSources(core()));
      const evaluator = registry.getOrCount(resource);
      const quotas = stored.map((each) => each.object as ResourceQuota);
      const request: QuotaRequest = { ...attributes, resource, object: inNamespace(object, attributes.namespace) };
      const verdict = checkRequest(quotas, request, evaluator, [], { now: attributes.now, gates: core().gates });
      switch (verdict.kind) {
        case "forbidden":
          throw admissionForbidden(attributes, verdict.why);
        case "error":
          throw bareFailure(500, "", verdict.why);
        case "fits":
          if (!attributes.dryRun) charge(core(), stored, verdict.quotas, attributes);
          return;
        default:
          unreachable(verdict);
      }
    },
  };
}

function quotasOf(core: ServerCore, namespace: string): StoredVersion[] {
  const row = core.registry.row("resourcequotas");
  const table = row && core.tableOf(row);
  return table === undefined || table.size === 0 ? [] : [...table.scan({ prefix: `${namespace}/` })];
}

/** The usage of some objects depends on other objects of the namespace. */
function inNamespace(object: KubeObject, namespace: string): KubeObject {
  if ((object.metadata?.namespace ?? "") !== "") return object;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Writes the new usage like the server's own status update. */
function charge(
  core: ServerCore,
  stored: readonly StoredVersion[],
  charged: readonly ResourceQuota[],
  { now }: AdmissionAttributes,
): void {
  const row = core.registry.row("resourcequotas");
  assert(row !== undefined, "resourcequotas are not served");
  for (const [index, version] of stored.entries()) {
    const quota = charged[index] as ResourceQuota & KubeObject;
    if (quota === version.object) continue;
    const { name = "", namespace = "" } = quota.metadata ?? {};
    const call = internalCall(core, row, { namespace, name, subresource: "status", now });
    const written = recordUpdate(core, call, version.object, quota, "kube-apiserver");
    const updated = core.tableOf(row).update(version, (revision) => withResourceVersion(written, revision));
    assert(updated !== undefined, `quota ${version.key} changed while it was charged`);
  }
}

/** The resources of device claims, kept up to date with the device classes. */
function claimSources(core: ServerCore): ResourceClaimSources {
  const classes = core.registry.row("deviceclasses.resource.k8s.io");
  const claims = core.registry.row("resourceclaims.resource.k8s.io");
  const pods = core.registry.row("pods");
  const extendedResources = new ExtendedResources();
  if (classes !== undefined) {
    const table = core.tableOf(classes);
    for (const { object } of table.scan({ prefix: "" })) extendedResources.set(object as DeviceClass);
    table.subscribe(({ object, previous, isDeletion }) => {
      if (isDeletion) extendedResources.delete(object as DeviceClass);
      else {
        const old = previous?.isDeletion === false ? previous.object : undefined;
        extendedResources.set(object as DeviceClass, old as DeviceClass | undefined);
      }
    });
  }
  return {
    extendedResources,
    pod: (namespace, name) => pods && (core.tableOf(pods).get(`${namespace}/${name}`)?.object as Pod | undefined),
    extendedClaimsOf: (namespace, podUid) =>
      claims === undefined
        ? []
        : [...core.tableOf(claims).scan({ prefix: `${namespace}/` })]
            .map(({ object }) => object as ResourceClaim)
            .filter(
              ({ metadata = {} }) =>
                metadata.annotations?.[EXTENDED_CLAIM_ANNOTATION] === "true" &&
                getControllerOf({ metadata })?.uid === podUid,
            ),
  };
}
