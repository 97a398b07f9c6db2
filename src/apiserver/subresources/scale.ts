// The scale subresource: reads and changes an object's replicas as an autoscaling/v1 Scale.
// Upstream: pkg/registry/apps/deployment/storage/storage.go, ScaleREST

import * as field from "#api/field-error.ts";
import { goStruct } from "#api/go-layout.ts";
import type { KubeObject } from "#api/object.ts";
import { withMeta } from "#api/object-meta.ts";
import { schemaOf } from "#api/schema-table.ts";
import { newConflict, newInvalid, newNotFound } from "#api/status-error.ts";
import { zeroObject } from "#api/struct-index.ts";
import { decodeTyped } from "#api/typed-decoding.ts";
import type { EpochMs } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";
import type { ScalePaths } from "#kinds/hooks.ts";
import { ageOf, nameOf, printer } from "#kinds/parts/printer.ts";
import { findObject } from "../addressed-object.ts";
import { metadataLabels } from "../builtin/field-labels.ts";
import type { ResourceCall, ServerCore } from "../core.ts";
import { methodNotAllowed } from "../errors.ts";
import { negotiationRules } from "../negotiation-rules.ts";
import type { Endpoint, KindVersion } from "../registry.ts";
import { respondWithObject } from "../rendering.ts";
import { negotiate } from "../representation.ts";
import { desiredByPatch } from "../verbs/patch.ts";
import { desiredByPut } from "../verbs/update.ts";
import { nameIsDnsSubdomain } from "../write/names.ts";
import { validateObjectMeta } from "../write/object-meta-validation.ts";
import { updateObject } from "../write/update-object.ts";
import { toParentEntries, toScaleEntries } from "./scale-managed-fields.ts";
import type { SubresourceHandler } from "./subresource.ts";

interface Scale extends KubeObject {
  readonly spec?: { readonly replicas?: number };
}

export function scaleSubresource(paths: ScalePaths): SubresourceHandler {
  return (core, call, signal) => {
    switch (call.context.request.method) {
      case "GET":
        return getScale(core, call, paths);
      case "PUT":
      case "PATCH":
        return writeScale(core, call, paths, signal);
      default:
        throw methodNotAllowed();
    }
  };
}

async function getScale(core: ServerCore, call: ResourceCall, paths: ScalePaths): Promise<HttpResponse> {
  const representation = negotiate(call.context, negotiationRules(call));
  return respondWithObject(
    call.context,
    scaleEndpoint(call.endpoint),
    representation,
    scaleOf(findObject(core, call).object, paths),
  );
}

async function writeScale(
  core: ServerCore,
  call: ResourceCall,
  paths: ScalePaths,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { context, endpoint } = call;
  const representation = negotiate(context, negotiationRules(call));
  const scaleCall = { ...call, endpoint: scaleEndpoint(endpoint) };
  const isPut = context.request.method === "PUT";
  const { options, desired } = await (isPut ? desiredByPut(core, scaleCall) : desiredByPatch(core, scaleCall));
  const { object } = await updateObject(
    core,
    call,
    {
      options,
      rules: endpoint.row.strategy,
      forceAllowCreate: false,
      uid: "",
      authorizeCreate: async () => undefined,
      desired: (existing) => {
        if (existing === undefined) throw newNotFound(endpoint.groupResource, call.name);
        const owners = toScaleEntries(existing.metadata?.managedFields, paths.specReplicas);
        const before = withMeta(scaleOf(existing, paths), { managedFields: owners.length === 0 ? undefined : owners });
        return applyScale(call, existing, desired(before) as Scale, paths);
      },
    },
    signal,
  );
  return respondWithObject(context, scaleCall.endpoint, representation, scaleOf(object, paths));
}

/** The object with the replicas, the expected version and the owners of the Scale. */
function applyScale(call: ResourceCall, existing: KubeObject, scale: Scale, paths: ScalePaths): KubeObject {
  const { name = "", uid } = existing.metadata ?? {};
  const replicas = scale.spec?.replicas ?? 0;
  const errors = validateObjectMeta(scale.metadata ?? {}, call.endpoint.row.namespaced, nameIsDnsSubdomain);
  if (replicas < 0) {
    const path = field.newPath("spec", "replicas");
    errors.push(field.invalid(path, replicas, "must be greater than or equal to 0"));
  }
  if (errors.length > 0) throw newInvalid({ group: "autoscaling", kind: "Scale" }, name, errors);
  if (scale.metadata?.uid && scale.metadata.uid !== uid) {
    const what = `Precondition failed: UID in precondition: ${scale.metadata.uid}, UID in object meta: ${uid}`;
    const { group, resource } = call.endpoint.groupResource;
    throw newConflict({ group, resource: `${resource}/scale` }, name, what);
  }
  const owners = toParentEntries(
    existing.metadata?.managedFields,
    scale.metadata?.managedFields,
    paths.specReplicas,
    call.endpoint.apiVersion,
  );
  return withMeta(setAt(existing, paths.specReplicas, replicas), {
    resourceVersion: scale.metadata?.resourceVersion,
    managedFields: owners.length === 0 ? undefined : owners,
  });
}

function scaleOf(object: KubeObject, paths: ScalePaths): Scale & { status: unknown } {
  const { name = "", namespace, uid = "", resourceVersion = "", creationTimestamp = null } = object.metadata ?? {};
  const selector = paths.selector(object);
  const replicas = numberAt(object, paths.specReplicas);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: numberAt(object, paths.statusReplicas),
      ...(selector === undefined || selector === "" ? {} : { selector }),
    },
  };
}

function numberAt(object: KubeObject, path: readonly string[]): number {
  let value: unknown = object;
  for (const key of path)
    value = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  return typeof value === "number" ? value : 0;
}

function setAt<T extends object>(object: T, [key, ...rest]: readonly string[], value: unknown): T {
  if (key === undefined) return object;
  const inner = (object as Record<string, unknown>)[key];
  const next = rest.length === 0 ? value : setAt(typeof inner === "object" && inner !== null ? inner : {}, rest, value);
  return { ...object, [key]: next };
}

const SCALE = { group: "autoscaling", version: "v1", kind: "Scale" };

const identity = (object: KubeObject): KubeObject => object;

const scaleVersion: KindVersion = {
  ...SCALE,
  listKind: "ScaleList",
  verbs: ["get", "update", "patch"],
  subresources: [],
  storageVersionHash: "",
  schema: () => schemaOf(SCALE),
  decode: (value, wording) => decodeTyped(goStruct("autoscaling.v1", "Scale"), value, wording),
  goType: goStruct("autoscaling.v1", "Scale"),
  zero: () => zeroObject(goStruct("autoscaling.v1", "Scale")),
  toStored: identity,
  fromStored: identity,
  applyDefaults: identity,
  fieldLabels: metadataLabels,
};

interface PrintedScale extends Scale {
  readonly status?: { readonly replicas?: number };
}

const scaleCells = (scale: PrintedScale, now: EpochMs): readonly unknown[] => [
  nameOf(scale),
  scale.spec?.replicas ?? 0,
  scale.status?.replicas ?? 0,
  ageOf(scale, now),
];

/** Upstream: pkg/printers/internalversion/printers.go, printScale */
const scalePrinter = printer("Name!|Desired:integer|Available:integer|Age", scaleCells);
/** Upstream: apiextensions-apiserver/pkg/apiserver/customresource_handler.go, scaleTableConverter */
const customScalePrinter = printer("Name|Desired:integer|Available:integer|Age:date", scaleCells);

const endpoints = new WeakMap<Endpoint, Endpoint>();

/** The endpoint as if it served Scales: bodies and managed fields use the type Scale. */
export function scaleEndpoint(endpoint: Endpoint): Endpoint {
  let made = endpoints.get(endpoint);
  if (made === undefined) {
    made = {
      row: {
        ...endpoint.row,
        versions: [scaleVersion],
        stored: SCALE,
        printer: endpoint.row.isCustom ? customScalePrinter : scalePrinter,
      },
      version: scaleVersion,
      apiVersion: "autoscaling/v1",
      groupResource: endpoint.groupResource,
      isStoredVersion: true,
    };
    endpoints.set(endpoint, made);
  }
  return made;
}
