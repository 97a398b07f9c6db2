// Checks the types in one policy and writes the warnings to its status.
// Upstream: pkg/controller/validatingadmissionpolicystatus/controller.go.

import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "#api/generated/types/admissionregistration-v1.ts";
import { type GroupVersionKind, parseApiVersion } from "#api/object.ts";
import type { StoredCluster } from "#api/resource.ts";
import type { Logger } from "#base/log.ts";
import type { Type } from "#cel/types.ts";
import type { Client, ResourceClient } from "#client/client.ts";
import type { RestMapper } from "#client/rest-mapper.ts";
import type { SharedInformer } from "#informers/informer.ts";
import { done, type SyncResult } from "#kit/worker-loop.ts";
import { matchedKinds, type NamedResource } from "./matched-kinds.ts";
import { typeOfKind } from "./schemas.ts";
import { expressionWarnings, type KindType, untyped } from "./type-check.ts";

type Policy = StoredCluster<ValidatingAdmissionPolicy>;

const FIELD_MANAGER = "validatingadmissionpolicy-status";

export interface Deps {
  readonly log: Logger;
  readonly restMapper: RestMapper;
  readonly policies: SharedInformer<Policy>;
  readonly policiesApi: ResourceClient<Policy>;
  /** For schemas of kinds that are not built in. */
  readonly discoveryClient: Client;
}

export async function syncPolicy(name: string, deps: Deps, signal: AbortSignal): Promise<SyncResult> {
  const policy = deps.policies.lister.get(name);
  if (policy === undefined) return done;
  const { generation = 0 } = policy.metadata;
  if (generation <= (policy.status?.observedGeneration ?? 0)) return done;
  const spec = policy.spec ?? {};
  const kinds = await typedKinds(spec, deps, signal);
  const warnings = expressionWarnings(spec, kinds, await paramsType(spec, deps, signal));
  const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
  const object = { metadata: { name }, status: { observedGeneration: generation, typeChecking } };
  await deps.policiesApi.apply(
    { name, object, fieldManager: FIELD_MANAGER, force: true, subresource: "status" },
    signal,
  );
  return done;
}

async function typedKinds(
  spec: ValidatingAdmissionPolicySpec,
  deps: Deps,
  signal: AbortSignal,
): Promise<readonly KindType[]> {
  const kinds = await matchedKinds(spec, refreshingKinds(deps, signal));
  const typed: KindType[] = [];
  for (const kind of kinds) {
    const type = await resolvedType(kind, deps, signal);
    if (type !== undefined) typed.push({ kind, type });
  }
  return typed;
}

/** The first unknown resource refreshes discovery, once per policy. */
function refreshingKinds(
  { restMapper }: Deps,
  signal: AbortSignal,
): (resource: NamedResource) => Promise<readonly GroupVersionKind[]> {
  let isRefreshed = false;
  return async function kindsOf(resource): Promise<readonly GroupVersionKind[]> {
    try {
      return await restMapper.resourcesFor(resource, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (isRefreshed) return [];
      isRefreshed = true;
      restMapper.reset();
      return await kindsOf(resource);
    }
  };
}

/** A kind without an available schema is skipped: type checks must not change the effect of a policy. */
async function resolvedType(kind: GroupVersionKind, deps: Deps, signal: AbortSignal): Promise<Type | undefined> {
  try {
    return await typeOfKind(kind, deps.discoveryClient, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    deps.log.v(2).error(error, "internal error: schema resolution failure", { gvk: kind });
    return undefined;
  }
}

/** Undefined: the policy has no parameters. */
async function paramsType(
  { paramKind }: ValidatingAdmissionPolicySpec,
  deps: Deps,
  signal: AbortSignal,
): Promise<Type | undefined> {
  const { apiVersion = "", kind = "" } = paramKind ?? {};
  if (paramKind === undefined || apiVersion.split("/").length > 2) return undefined;
  return (await resolvedType({ ...parseApiVersion(apiVersion), kind }, deps, signal)) ?? untyped;
}
