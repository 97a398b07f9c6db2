// Renders stored objects in the requested form: the endpoint's version, metadata only, or a table; then as bytes, or as
// the frozen objects themselves for a client in this process.

import type { ObjectMeta } from "#api/meta.ts";
import type { KubeObject, ListMeta } from "#api/object.ts";
import type { EpochMs } from "#base/clock.ts";
import type { HttpResponse } from "#base/http.ts";
import { encodeBody } from "./body-encoding.ts";
import { notAcceptableForm } from "./errors.ts";
import { goPackageOf } from "./go-package.ts";
import type { Endpoint } from "./registry.ts";
import type { Representation, Shape } from "./representation.ts";
import type { RequestContext } from "./request-context.ts";
import type { StoredVersion } from "./storage/storage.ts";
import { defaultPrinter, type TableRow } from "./table.ts";

/** An object in the endpoint's version; converted once for each stored version. */
export function versioned(endpoint: Endpoint, stored: StoredVersion): KubeObject {
  if (endpoint.isStoredVersion) return stored.object;
  stored.renderings ??= new Map();
  let object = stored.renderings.get(endpoint.apiVersion) as KubeObject | undefined;
  if (object === undefined) {
    object = endpoint.version.fromStored(stored.object);
    stored.renderings.set(endpoint.apiVersion, object);
  }
  return object;
}

/** Answers with one object in the stored form. */
export function respondWithObject(
  context: RequestContext,
  endpoint: Endpoint,
  representation: Representation,
  object: KubeObject,
  status = 200,
): HttpResponse {
  return encodeBody(
    context,
    representation,
    status,
    renderObject(endpoint, representation.shape, object, context.receivedMs),
  );
}

/** Answers with a value in its final form: a Status, a Scale, a review. */
export function respondWithValue(
  context: RequestContext,
  representation: Representation,
  value: unknown,
  status = 200,
): HttpResponse {
  return encodeBody(context, representation, status, value);
}

export function respondWithList(
  context: RequestContext,
  endpoint: Endpoint,
  representation: Representation,
  objects: readonly KubeObject[],
  metadata: ListMeta,
): HttpResponse {
  return encodeBody(
    context,
    representation,
    200,
    renderList(context, endpoint, representation.shape, objects, metadata),
  );
}

/** One object in the requested shape, for answers and watch events. */
export function renderObject(endpoint: Endpoint, shape: Shape, object: KubeObject, now: EpochMs): unknown {
  switch (shape.kind) {
    case "object":
      return endpoint.isStoredVersion ? object : endpoint.version.fromStored(object);
    case "partial":
      if (shape.isList) {
        const what = `the requested object is not a list (${goTypeOf(endpoint, "")})`;
        throw notAcceptableForm(`you requested PartialObjectMetadataList, but ${what}`);
      }
      return partialMetadata(endpoint, object, shape.metaVersion);
    case "table": {
      const metadata = { resourceVersion: object.metadata?.resourceVersion ?? "" };
      return tableOf(endpoint, shape, [object], metadata, now, true);
    }
  }
}

/** A watch sends the column definitions only with its first event. */
export function renderTableEvent(
  endpoint: Endpoint,
  shape: Shape & { kind: "table" },
  object: KubeObject,
  now: EpochMs,
  withColumns: boolean,
): unknown {
  return tableOf(
    endpoint,
    shape,
    [object],
    { resourceVersion: object.metadata?.resourceVersion ?? "" },
    now,
    withColumns,
  );
}

function renderList(
  context: RequestContext,
  endpoint: Endpoint,
  shape: Shape,
  objects: readonly KubeObject[],
  metadata: ListMeta,
): unknown {
  switch (shape.kind) {
    case "object":
      return {
        kind: endpoint.version.listKind,
        apiVersion: endpoint.apiVersion,
        // Lists of custom resources always have the field continue.
        metadata: endpoint.row.isCustom ? { ...metadata, continue: metadata.continue ?? "" } : metadata,
        items: listItems(context, endpoint, objects),
      };
    case "partial":
      if (!shape.isList) {
        const what = `the requested object is a list (${goTypeOf(endpoint, "List")})`;
        throw notAcceptableForm(`you requested PartialObjectMetadata, but ${what}`);
      }
      return {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${shape.metaVersion}`,
        metadata,
        // Upstream omits an empty list.
        items:
          objects.length === 0 ? null : objects.map((object) => partialMetadata(endpoint, object, shape.metaVersion)),
      };
    case "table":
      return tableOf(endpoint, shape, objects, metadata, context.receivedMs, true);
  }
}

/**
 * Items of built-in kinds have no kind and apiVersion, because upstream's typed lists drop them. Deviation: within the
 * process they keep both, because they are the stored objects themselves.
 */
function listItems(context: RequestContext, endpoint: Endpoint, objects: readonly KubeObject[]): readonly KubeObject[] {
  const items = endpoint.isStoredVersion ? objects : objects.map((object) => endpoint.version.fromStored(object));
  if (context.request.direct || endpoint.row.isCustom) return items;
  return items.map(({ kind, apiVersion, ...rest }) => rest);
}

export function partialMetadata({ row }: Endpoint, { metadata }: KubeObject, metaVersion: string): KubeObject {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    ...(metadata && { metadata: withoutAnnotation(metadata, row.annotatedField) }),
  };
}

function withoutAnnotation(metadata: ObjectMeta, annotation: string | undefined): ObjectMeta {
  if (annotation === undefined || metadata.annotations?.[annotation] === undefined) return metadata;
  const { annotations, ...rest } = metadata;
  const { [annotation]: _, ...others } = annotations;
  return Object.keys(others).length === 0 ? rest : { ...rest, annotations: others };
}

function tableOf(
  endpoint: Endpoint,
  shape: Shape & { kind: "table" },
  objects: readonly KubeObject[],
  metadata: ListMeta,
  now: EpochMs,
  withColumns: boolean,
): unknown {
  const printer = endpoint.version.printer ?? endpoint.row.printer ?? defaultPrinter;
  const ordered = printer.order === undefined ? objects : objects.toSorted(printer.order);
  const rows = ordered.map(
    (object): TableRow => ({ ...printer.row(object, now), object: rowObject(endpoint, shape, object) }),
  );
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${shape.metaVersion}`,
    metadata,
    columnDefinitions: withColumns ? printer.columns : null,
    // Without a specific printer, upstream omits an empty list.
    rows: rows.length === 0 && printer === defaultPrinter ? null : rows,
  };
}

function rowObject(endpoint: Endpoint, shape: Shape & { kind: "table" }, object: KubeObject): unknown {
  if (shape.includeObject === "None") return null;
  if (shape.includeObject === "Metadata") return partialMetadata(endpoint, object, shape.metaVersion);
  return endpoint.isStoredVersion ? object : endpoint.version.fromStored(object);
}

/** The name of upstream's Go type, which its messages contain. */
function goTypeOf({ row, version }: Endpoint, suffix: "" | "List"): string {
  if (row.isCustom)
    return version.goType === undefined ? `*unstructured.Unstructured${suffix}` : `*${version.version}.${version.kind}`;
  return `*${goPackageOf(row.stored.group)}.${version.kind}${suffix}`;
}
