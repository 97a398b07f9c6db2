// The scale subresource of custom resources: replicas at the paths in the definition.
// Upstream: k8s.io/apiextensions-apiserver/pkg/registry/customresource/etcd.go, ScaleREST

import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import type { JsonObject } from "#api/patch/json-value.ts";
import { newBadRequest, newInternalError, newNotFound } from "#api/status-error.ts";
import { nestedValue, type ScaleDefinition, splitPath } from "#kinds/apiextensions/custom-resource-strategy.ts";
import { findObject } from "../addressed-object.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { methodNotAllowed } from "../errors.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { scaleEndpoint } from "../subresources/scale.ts";
import { toParentEntries, toScaleEntries } from "../subresources/scale-managed-fields.ts";
import type { SubresourceHandler } from "../subresources/subresource.ts";
import { desiredByPatch } from "../verbs/patch.ts";
import { desiredByPut } from "../verbs/update.ts";
import { updateObject } from "../write/update-object.ts";

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

/** The value for replicas that were never set: the smallest int32. */
const UNSET = -2147483648;

export function customScale(definitionOf: (version: string) => ScaleDefinition | undefined): SubresourceHandler {
  return async (core, call, signal) => {
    const definition = definitionOf(call.endpoint.version.version);
    if (definition === undefined) throw newNotFound(call.endpoint.groupResource, call.name);
    const representation = negotiate(call.context, negotiationRules(call));
    switch (call.context.request.method) {
      case "GET": {
        const { scale, isSet } = scaleOf(findObject(core, call).object, definition);
        if (isSet) return respondWithObject(call.context, scaleEndpoint(call.endpoint), representation, scale);
        throw newInternalError(`the spec replicas field ${JSON.stringify(definition.specReplicasPath)} does not exist`);
      }
      case "PUT":
      case "PATCH": {
        const object = await write(core, call, definition, signal);
        const { scale } = scaleOf(object, definition);
        return respondWithObject(call.context, scaleEndpoint(call.endpoint), representation, scale);
      }
      default:
        throw methodNotAllowed();
    }
  };
}

async function write(
  core: ServerCore,
  call: ResourceCall,
  definition: ScaleDefinition,
  signal: AbortSignal,
): Promise<KubeObject> {
  const { context, endpoint } = call;
  const path = splitPath(definition.specReplicasPath);
  const scaleCall = { ...call, endpoint: scaleEndpoint(endpoint) };
  const isPut = context.request.method === "PUT";
  const { options, desired, uid } = await (isPut ? desiredByPut(core, scaleCall) : desiredByPatch(core, scaleCall));
  const { object } = await updateObject(
    core,
    call,
    {
      options,
      rules: endpoint.row.strategy,
      forceAllowCreate: false,
      uid,
      authorizeCreate: async () => undefined,
      desired: (existing) => {
        if (existing === undefined) throw newNotFound(endpoint.groupResource, call.name);
        const { scale, isSet } = scaleOf(existing, definition);
        const owners = toScaleEntries(existing.metadata?.managedFields, path);
        const before = withMeta(isSet ? scale : ({ ...scale, spec: { replicas: UNSET } } as Scale), {
          managedFields: owners.length === 0 ? undefined : owners,
        });
        return withScale(call, existing, desired(before) as Scale, definition, path);
      },
    },
    signal,
  );
  return object;
}

function withScale(
  call: ResourceCall,
  existing: KubeObject,
  scale: Scale,
  definition: ScaleDefinition,
  path: readonly string[],
): KubeObject {
  const replicas = scale.spec?.replicas ?? 0;
  if (replicas === UNSET) {
    throw newBadRequest(`the spec replicas field ${JSON.stringify(definition.specReplicasPath)} cannot be empty`);
  }
  const owners = toParentEntries(
    existing.metadata?.managedFields,
    scale.metadata?.managedFields,
    path,
    call.endpoint.apiVersion,
  );
  const { resourceVersion } = scale.metadata ?? {};
  return withMeta(setAt(existing as unknown as JsonObject, path, replicas) as unknown as KubeObject, {
    ...(resourceVersion ? { resourceVersion } : {}),
    managedFields: owners.length === 0 ? undefined : owners,
  });
}

function setAt(object: JsonObject, [name = "", ...rest]: readonly string[], value: unknown): JsonObject {
  const inner = Object.hasOwn(object, name) ? object[name] : undefined;
  const next = rest.length === 0 ? value : setAt((inner ?? {}) as JsonObject, rest, value);
  return { ...object, [name]: next };
}

function scaleOf(object: KubeObject, definition: ScaleDefinition): { readonly scale: Scale; readonly isSet: boolean } {
  const read = (path: string | undefined, type: "int64" | "string"): unknown => {
    if (path === undefined || path === "") return undefined;
    const found = nestedValue(object as unknown as JsonObject, splitPath(path), type);
    if ("error" in found) throw newInternalError(found.error);
    return found.value;
  };
  const replicas = read(definition.specReplicasPath, "int64") as number | undefined;
  const selector = read(definition.labelSelectorPath, "string") as string | undefined;
  const { name = "", namespace, uid = "", resourceVersion = "", creationTimestamp } = object.metadata ?? {};
  const scale = {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: read(definition.statusReplicasPath, "int64") ?? 0, ...(selector ? { selector } : {}) },
  };
  return { scale, isSet: replicas !== undefined };
}
