// The operations of one group version as OpenAPI v3 paths: enough for clients to find out which
// parameters a verb takes and which kind it is about.

import type { Verb } from "#api/resource-table.ts";
import { schemaOfType } from "#api/schema-table.ts";
import type { Endpoint } from "../registry.ts";
import { gvkEntry, type OpenApiSchemas, reference } from "./openapi-schemas.ts";

type Document = Readonly<Record<string, unknown>>;

const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

const query = (name: string, type = "string"): Document => ({ name, in: "query", schema: { type, uniqueItems: true } });
const path = (name: string): Document => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", uniqueItems: true },
});

const WRITE = [query("dryRun"), query("fieldManager"), query("fieldValidation")];
const LIST = [
  query("allowWatchBookmarks", "boolean"),
  query("continue"),
  query("fieldSelector"),
  query("labelSelector"),
  query("limit", "integer"),
  query("resourceVersion"),
  query("resourceVersionMatch"),
  query("sendInitialEvents", "boolean"),
  query("timeoutSeconds", "integer"),
  query("watch", "boolean"),
];
const DELETE = [
  query("dryRun"),
  query("gracePeriodSeconds", "integer"),
  query("orphanDependents", "boolean"),
  query("propagationPolicy"),
];

const OPERATIONS: Readonly<Record<Verb, { method: string; action: string; parameters: readonly Document[] }>> = {
  get: { method: "get", action: "get", parameters: [] },
  list: { method: "get", action: "list", parameters: LIST },
  watch: { method: "get", action: "watch", parameters: LIST },
  create: { method: "post", action: "post", parameters: WRITE },
  update: { method: "put", action: "put", parameters: WRITE },
  patch: { method: "patch", action: "patch", parameters: [...WRITE, query("force", "boolean")] },
  delete: { method: "delete", action: "delete", parameters: DELETE },
  deletecollection: { method: "delete", action: "deletecollection", parameters: [...LIST, ...DELETE] },
};

const PATCH_TYPES = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];

/** Adds the paths of one kind, and the schemas they speak of. */
export function addPaths(
  endpoint: Endpoint,
  root: string,
  schemas: OpenApiSchemas,
  paths: Record<string, Document>,
): void {
  const { row, version } = endpoint;
  const schema = version.schema();
  if (schema === undefined) return;
  const item = schemas.addKind(version, schema, version.openApi?.());
  const list = version.verbs.includes("list") ? schemas.addList(version, item) : item;
  const base = row.namespaced ? `${root}/namespaces/{namespace}/${row.resource}` : `${root}/${row.resource}`;
  const operations = (verbs: readonly Verb[], offered: readonly Verb[], body: string): Record<string, Document> => {
    const entries = verbs.filter((verb) => offered.includes(verb)).map((verb) => operation(endpoint, verb, body, list));
    return Object.fromEntries(entries);
  };
  const add = (target: string, content: Record<string, Document>, ...parameters: Document[]): void => {
    if (Object.keys(content).length > 0) paths[target] = { ...content, parameters: [...parameters, query("pretty")] };
  };
  const inNamespace = row.namespaced ? [path("namespace")] : [];
  add(base, operations(["list", "create", "deletecollection"], version.verbs, item), ...inNamespace);
  add(
    `${base}/{name}`,
    operations(["get", "update", "patch", "delete"], version.verbs, item),
    path("name"),
    ...inNamespace,
  );
  if (row.namespaced) add(`${root}/${row.resource}`, operations(["list"], version.verbs, item));
  for (const subresource of version.subresources) {
    const offered: readonly Verb[] = ["get", "create", "update", "patch", "delete"];
    const content = operations(offered, subresource.verbs, item);
    add(`${base}/{name}/${subresource.name}`, content, path("name"), ...inNamespace);
  }
  for (const name of ["Patch", "Status", "DeleteOptions", "ListMeta", "ObjectMeta"]) {
    const type = schemaOfType("meta.v1", name);
    if (type !== undefined) schemas.addType(type);
  }
}

function operation({ version, row }: Endpoint, verb: Verb, item: string, list: string): [string, Document] {
  const { method, action, parameters } = OPERATIONS[verb];
  const answer = verb === "list" ? list : verb === "delete" || verb === "deletecollection" ? `${META}.Status` : item;
  const content = (name: string, types: readonly string[]): Document =>
    Object.fromEntries(types.map((type) => [type, { schema: reference(name) }]));
  const body =
    verb === "patch"
      ? {
          requestBody: {
            required: true,
            content: content(`${META}.Patch`, row.isCustom ? PATCH_TYPES.slice(0, 3) : PATCH_TYPES),
          },
        }
      : verb === "create" || verb === "update"
        ? { requestBody: { required: true, content: content(item, ["*/*"]) } }
        : {};
  return [
    method,
    {
      parameters,
      ...body,
      responses: { 200: { description: "OK", content: content(answer, ["application/json", "application/yaml"]) } },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": gvkEntry(version),
    },
  ];
}
